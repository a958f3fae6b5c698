import { hash } from 'node:crypto'
import type { Booking } from '@connectivity/contracts/booking-events'
import { decimalsOf } from '@connectivity/service-kit/text'
import type { ProblemCode } from '@connectivity/contracts/reservation'
import type { ConnectionView } from './connection-view.js'

/** One reason why a booking cannot be shown as a reservation. */
export interface Fault {
  /** JSON pointer into the reservation object. */
  pointer: string
  code: ProblemCode
}

const words: Record<ProblemCode, string> = {
  room_unknown: 'a room is not in the catalog of the property',
  no_accommodation: 'it has no rooms',
  quantity_below_one: 'a room has a quantity below 1',
  check_out_not_after_check_in: 'its departure is not after its arrival',
  currency_unknown: 'its currency is not an ISO 4217 code',
}

/**
 * All faults that make a booking invalid; none for a good one.
 * @param view the known rooms; null when no catalog of the property has arrived, so that rooms cannot be judged
 */
export function faultsOf(booking: Booking, view: Pick<ConnectionView, 'rooms'> | null): Fault[] {
  const faults: Fault[] = []
  if (booking.check_out <= booking.check_in)
    faults.push({ pointer: '/check_out', code: 'check_out_not_after_check_in' })
  if (decimalsOf(booking.currency) === undefined) faults.push({ pointer: '/currency', code: 'currency_unknown' })
  if (booking.accommodation.length === 0) faults.push({ pointer: '/accommodation', code: 'no_accommodation' })
  booking.accommodation.forEach(({ room_id, quantity }, index) => {
    const known = room_id !== null && (view === null || view.rooms.has(room_id))
    if (!known) faults.push({ pointer: `/accommodation/${index}/external_room_id`, code: 'room_unknown' })
    if (quantity < 1) faults.push({ pointer: `/accommodation/${index}/quantity`, code: 'quantity_below_one' })
  })
  return faults
}

/** Text of a problem row for the partner. */
export function problemMessage(reservationId: string, faults: readonly Fault[]): string {
  const reasons = [...new Set(faults.map(({ code }) => words[code]))].join('; ')
  return `Reservation ${reservationId} cannot be shown: ${reasons}. It will appear again by itself once corrected; contact operations with the reservation_id.`
}

/** Correlation id of a problem; constant per reservation and connection, so that rendering gives the same bytes. */
export const problemCorrelationId = (connectionId: string, reservationId: string): string =>
  `prj-${hash('sha256', `${connectionId}\n${reservationId}`).slice(0, 32)}`
