// The calls for callbacks.
import type { Call } from '../command.ts'
import { idOf } from './flag-kinds.ts'

const connection = idOf('connection (property_id)', 'con_…')

export const callbacks: readonly Call[] = [
  {
    verb: 'show',
    does: "Shows a connection's callback and its waiting events.",
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
