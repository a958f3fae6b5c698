import type { BookingStatus } from '@connectivity/contracts/booking-events'
import type { PageEvidence } from '@connectivity/contracts/evidence'
import type { ReservationEventType } from '@connectivity/contracts/reservation-events'

/** What happened to a reservation from the point of view of one connection. */
export interface ReservationChange {
  type: ReservationEventType
  previousStatus: BookingStatus | null
  /** Names of the top-level fields that differ, never `updated_at`. */
  changes: string[]
}

/** The word for a change that a pilot is graded by: see libs/contracts/evidence. */
export type ShownChange = Exclude<PageEvidence, 'full-pull-end'>

const shown: Record<ReservationEventType, ShownChange> = {
  'reservation.created': 'created',
  'reservation.modified': 'modified',
  'reservation.cancelled': 'cancelled',
}

/** @returns null for what is delivered anew as it was */
export const shownChange = ({ type, changes }: ReservationChange): ShownChange | null =>
  type === 'reservation.modified' && changes.length === 0 ? null : shown[type]

type Fields = Record<string, unknown> & { status: BookingStatus; cancelled: boolean }
type Reviver = (key: string, value: unknown, context: { source: string }) => unknown

/** Numbers stay the text they were, so that 412.50 and 412.5 differ. */
const fieldsOf = (body: string): Fields =>
  JSON.parse(body, ((_key, value, { source }) =>
    typeof value === 'number' ? source : value) as Reviver as never) as Fields

/** The event of a reservation that is delivered anew as it is. */
export const redelivered = (body: string): ReservationChange => ({
  type: 'reservation.modified',
  previousStatus: fieldsOf(body).status,
  changes: [],
})

/**
 * Compares the reservation with what the partner saw last.
 * @param served JSON text of the reservation as last served to the connection, null when it never was
 * @param body JSON text of the reservation now
 * @returns null when the content did not change: a problem row that mends to what was served before
 */
export function changeBetween(served: string | null, body: string): ReservationChange | null {
  const now = fieldsOf(body)
  if (served === null) {
    return { type: now.cancelled ? 'reservation.cancelled' : 'reservation.created', previousStatus: null, changes: [] }
  }
  const before = fieldsOf(served)
  const changes = Object.keys(now).filter(
    (name) => name !== 'updated_at' && JSON.stringify(now[name]) !== JSON.stringify(before[name]),
  )
  if (changes.length === 0) return null
  const cancelledNow = now.cancelled && !before.cancelled
  return {
    type: cancelledNow ? 'reservation.cancelled' : 'reservation.modified',
    previousStatus: before.status,
    changes,
  }
}
