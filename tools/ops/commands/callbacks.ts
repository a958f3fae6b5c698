// The calls for callbacks.
import type { Call } from '../command.ts'
import { idOf } from './flag-kinds.ts'

const connection = idOf('connection (property_id)', 'con_…')

export const callbacks: readonly Call[] = [
  {
    verb: 'show',
    does: "A connection's callback and what waits for it.",
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
    does: 'Delivers again, what was kept first.',
    method: 'POST',
    path: '/callbacks/{id}/resume',
    flags: connection,
    example: 'con_… --reason "receiver mended"',
  },
]
