// The call for the timeline of a reservation.
import type { Call } from '../command.ts'

export const reservations: readonly Call[] = [
  {
    verb: 'timeline',
    does: 'Shows what happened to a reservation on a connection, oldest first, and by which request it was fetched.',
    method: 'GET',
    path: '/connections/{id}/reservations/{reservation-id}/timeline',
    list: 'entries',
    isWhole: true,
    flags: {
      id: { value: 'con_…', says: 'the connection', needed: true },
      'reservation-id': { value: 'ID', says: 'the reservation', needed: true },
    },
    columns: [
      ['at', 'at'],
      ['what', 'kind'],
      ['stamp', 'updated_at'],
      ['changes', 'changes'],
      ['status', 'status'],
      ['event', 'event_id'],
      ['correlation id', 'correlation_id'],
    ],
    example: 'con_… RSV-1001',
  },
]
