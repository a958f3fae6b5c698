// The calls for callbacks.
import type { Call } from '../command.ts'
import { ageAt, at } from '../texts.ts'
import { choice, idOf } from './flag-kinds.ts'

const connection = idOf('connection (property_id)', 'con_…')

export const callbacks: readonly Call[] = [
  {
    verb: 'list',
    does: 'Lists callbacks with the age of a suspension, waiting and given-up deliveries, and the last error.',
    method: 'GET',
    path: '/callbacks',
    list: 'callbacks',
    flags: {
      failing: { says: 'only those that are suspended, have an open breaker or have given up deliveries' },
      state: choice(['active', 'suspended', 'suspended_by_operator'], 'only in this state'),
    },
    columns: [
      ['connection', 'property_id'],
      ['url', 'url'],
      ['state', 'state'],
      ['suspended', 'suspended_at'],
      ['breaker', 'breaker.state'],
      ['waiting', 'pending'],
      ['failed', 'failed'],
      ['last success', 'last_success_at'],
      ['last error', 'last_failure.error', 'last_failure.status'],
      ['last failure', 'last_failure.at'],
    ],
    texts: {
      suspended: ageAt('suspended_at'),
      'last success': ageAt('last_success_at'),
      'last failure': ageAt('last_failure.at'),
      'last error': (record) => at(record, 'last_failure.error') ?? at(record, 'last_failure.status'),
    },
    example: '--failing',
  },
  {
    verb: 'show',
    does: "Shows a connection's callback, its waiting events and its last failure.",
    method: 'GET',
    path: '/callbacks/{id}',
    flags: connection,
    example: 'con_…',
  },
  {
    verb: 'suspend',
    does: 'Stops deliveries; events are kept, and the partner cannot resume it.',
    method: 'POST',
    path: '/callbacks/{id}/suspend',
    flags: connection,
    example: 'con_… --reason "partner asked for a pause"',
  },
  {
    verb: 'resume',
    does: 'Resumes deliveries, kept events first.',
    method: 'POST',
    path: '/callbacks/{id}/resume',
    flags: connection,
    example: 'con_… --reason "receiver fixed"',
  },
]
