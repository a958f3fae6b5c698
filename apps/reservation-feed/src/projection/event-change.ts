import type { BookingStatus } from '@connectivity/contracts/booking-events'
import type { PageEvidence } from '@connectivity/contracts/evidence'
import type { ReservationEventType } from '@connectivity/contracts/reservation-events'
import { jsonFields } from './json-fields.js'

/** Change of a reservation as its event reports it to one connection. */
export interface EventChange {
  type: ReservationEventType
  previousStatus: BookingStatus | null
  /** Names of the top-level fields that differ, never `updated_at`. */
  changes: string[]
}

/** Name of a change by which a pilot is graded: see libs/contracts/evidence. */
export type ShownChange = Exclude<PageEvidence, 'full-pull-end'>

const shown: Record<ReservationEventType, ShownChange> = {
  'reservation.created': 'created',
  'reservation.modified': 'modified',
  'reservation.cancelled': 'cancelled',
}

/** @returns null for an unchanged reservation that is delivered again */
export const shownChange = ({ type, changes }: EventChange): ShownChange | null =>
  type === 'reservation.modified' && changes.length === 0 ? null : shown[type]

const statusIn = (fields: ReadonlyMap<string, string>): BookingStatus =>
  JSON.parse(fields.get('status')!) as BookingStatus

/** The event of an unchanged reservation that is delivered again. */
export const redelivered = (body: string): EventChange => ({
  type: 'reservation.modified',
  previousStatus: statusIn(jsonFields(body)),
  changes: [],
})

/**
 * Compares the reservation with what the partner saw last.
 * @param served JSON text of the reservation as last served to the connection, null when it never was
 * @param body JSON text of the reservation now
 * @returns null when the content did not change: a problem row that returns to what was served before
 */
export function changeBetween(served: string | null, body: string): EventChange | null {
  const now = jsonFields(body)
  const isCancelled = now.get('cancelled') === 'true'
  if (served === null) {
    return { type: isCancelled ? 'reservation.cancelled' : 'reservation.created', previousStatus: null, changes: [] }
  }
  const before = jsonFields(served)
  const changes = [...now.keys()].filter((name) => name !== 'updated_at' && now.get(name) !== before.get(name))
  if (changes.length === 0) return null
  const isCancellation = isCancelled && before.get('cancelled') !== 'true'
  return {
    type: isCancellation ? 'reservation.cancelled' : 'reservation.modified',
    previousStatus: statusIn(before),
    changes,
  }
}
