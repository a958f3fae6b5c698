// The call for deliveries.
import type { Call } from '../command.ts'
import { ageAt } from '../texts.ts'
import { choice } from './flag-kinds.ts'

export const deliveries: readonly Call[] = [
  {
    verb: 'list',
    does: 'Lists events that wait for their callback or were given up, oldest first, with the last error.',
    method: 'GET',
    path: '/deliveries',
    list: 'deliveries',
    flags: {
      failing: { says: 'only those of which an attempt has failed' },
      state: choice(['pending', 'failed'], 'waiting, or given up after the last attempt'),
      'property-id': { value: 'con_…', says: 'only of this connection' },
    },
    columns: [
      ['event', 'event_id'],
      ['connection', 'property_id'],
      ['reservation', 'reservation_id'],
      ['type', 'type'],
      ['state', 'state'],
      ['attempts', 'attempts'],
      ['last status', 'last_status'],
      ['last error', 'last_error'],
      ['failed', 'failed_at'],
      ['next attempt', 'retry_at'],
    ],
    texts: { failed: ageAt('failed_at') },
    example: '--failing',
  },
  {
    verb: 'attempts',
    does: 'Shows every attempt to deliver an event, and what the receiver answered.',
    method: 'GET',
    path: '/connections/{id}/events/{event-id}/attempts',
    list: 'attempts',
    isWhole: true,
    flags: {
      id: { value: 'con_…', says: 'the connection', needed: true },
      'event-id': { value: 'evt_…', says: 'the event', needed: true },
    },
    columns: [
      ['number', 'number'],
      ['at', 'at'],
      ['status', 'status'],
      ['error', 'error'],
      ['ms', 'duration_ms'],
      ['url', 'url'],
      ['answer', 'response_excerpt'],
    ],
    example: 'con_… evt_…',
  },
]
