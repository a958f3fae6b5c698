import type { ReservationProblem } from '@connectivity/contracts/reservation'
import { tooOld } from './digest/digests.service.js'
import { noReservation, unresolved } from './pages/feed-refusals.js'
import { PageCursor } from './pages/page-cursor.service.js'
import { problemMessage } from './projection/reservation-faults.js'

const faults = [
  { pointer: '/accommodation/0/external_room_id', code: 'room_unknown' },
] satisfies ReservationProblem['details']
const problem: ReservationProblem = {
  code: 'accommodation_unresolved',
  reservation_id: 'RSV-1002',
  updated_at: '2026-11-20T10:20:00.002Z',
  message: problemMessage('RSV-1002', faults),
  correlation_id: '',
  details: faults,
}

/**
 * Refusals of this service, for the OpenAPI document; each function returns or throws one. Only the documentation
 * generator imports this file.
 */
export const errorSamples: readonly (() => unknown)[] = [
  () => noReservation(),
  () => unresolved(problem),
  () => tooOld(),
  () => new PageCursor(new Map([['key', Buffer.alloc(32)]])).open('con_1', 'changed'),
]
