import type { Booking, BookingLine } from '@connectivity/contracts/booking-events'
import type { AccommodationLine, Reservation } from '@connectivity/contracts/reservation'
import type { ConnectionView } from './connection-view.js'
import { type Fault, faultsOf, problemCorrelationId, problemMessage } from './reservation-faults.js'

/** The final JSON text of a feed row on both sides of its stamp, which is assigned last, under the head lock. */
export interface RenderedRow {
  kind: 'reservation' | 'problem'
  /** Text up to and including the opening quote of `updated_at`. */
  head: string
  /** Text from the closing quote of `updated_at`. */
  tail: string
}

/** A booking as the projection knows it. */
export interface BookingState {
  /** The latest snapshot. */
  booking: Booking
  /** The last good visible snapshot, while the latest one is faulty. */
  kept: Booking | null
}

/** The row's text with its stamp, `YYYY-MM-DDTHH:mm:ss.sssZ`. */
export const bodyOf = ({ head, tail }: RenderedRow, updatedAt: string): string => head + updatedAt + tail

/** Whether the row, apart from its stamp, equals the given body byte for byte. */
export const sameContent = ({ head, tail }: RenderedRow, body: string): boolean =>
  body.length === head.length + STAMP_LENGTH + tail.length && body.startsWith(head) && body.endsWith(tail)

/** Splits a stored row at its stamp. Quotes inside texts are escaped, so the first field of this name is the stamp. */
export function asRendered({ kind, body }: { kind: RenderedRow['kind']; body: string }): RenderedRow {
  const stamp = body.indexOf(STAMP_FIELD) + STAMP_FIELD.length
  return { kind, head: body.slice(0, stamp), tail: body.slice(stamp + STAMP_LENGTH) }
}

const STAMP_FIELD = ',"updated_at":"'
const STAMP_LENGTH = '2026-01-01T00:00:00.000Z'.length

/**
 * Renders a booking for one connection: the reservation, or the problem that prevents it. A cancelled booking is shown
 * with the last good values of what is faulty, so that the partner sees the cancellation of a reservation it knows.
 */
export function renderRow({ booking, kept }: BookingState, view: ConnectionView): RenderedRow {
  const faults = faultsOf(booking, view)
  if (faults.length === 0) return reservationText(booking, view)
  if (booking.status === 'cancelled' && kept && faultsOf(kept, view).length === 0) {
    return reservationText({ ...booking, ...lastGood(kept, faults) }, view)
  }
  return problemText(booking, faults, view)
}

/** The faulty fields as they were. Fields that belong together stay so: the dates, and money with its currency. */
function lastGood(kept: Booking, faults: readonly Fault[]): Partial<Booking> {
  const { check_in, check_out, currency, total_amount, paid_amount, accommodation } = kept
  const isFaulty = (field: string) => faults.some(({ pointer }) => pointer.startsWith(field))
  return {
    ...(isFaulty('/check_out') && { check_in, check_out }),
    ...(isFaulty('/currency') && { currency, total_amount, paid_amount }),
    ...(isFaulty('/accommodation') && { accommodation }),
  }
}

/** Fields of a reservation before its stamp, `updated_at`; the others follow it. */
type BeforeStamp =
  'reservation_id' | 'property_id' | 'external_property_id' | 'check_in' | 'check_out' | 'status' | 'cancelled'
type AfterStamp = Exclude<keyof Reservation, BeforeStamp | 'updated_at'>

/** Field order and names are those of `Reservation`; nothing else is shown. */
function reservationText(booking: Booking, view: ConnectionView): RenderedRow {
  const before: Record<BeforeStamp, unknown> = {
    reservation_id: booking.reservation_id,
    property_id: view.connectionId,
    external_property_id: view.externalPropertyId,
    check_in: booking.check_in,
    check_out: booking.check_out,
    status: booking.status,
    cancelled: booking.status === 'cancelled',
  }
  const after: Record<AfterStamp, unknown> = {
    created_at: booking.created_at,
    guest_count: booking.guest_count,
    guest: booking.guest,
    currency: booking.currency,
    total_amount: amount(booking.total_amount),
    paid_amount: amount(booking.paid_amount),
    accommodation: booking.accommodation.map((line) => accommodationLine(line, view)),
    special_requests: booking.special_requests,
  }
  return aroundStamp('reservation', before, after)
}

/** Placeholder that is never shown: a booking with an unknown room is a problem row. */
const unmapped = { externalId: null, isDorm: false }

function accommodationLine(line: BookingLine, view: ConnectionView): AccommodationLine {
  const room = view.rooms.get(line.room_id ?? '') ?? unmapped
  return {
    external_room_id: room.externalId,
    external_rate_plan_id: view.ratePlans.get(line.rate_plan_id ?? '') ?? null,
    rate_plan_name: line.rate_plan_name,
    quantity: line.quantity,
    beds: line.beds,
    bed_type: line.bed_type,
    room_number: line.room_number,
    room_type: line.room_type,
    is_dorm: line.is_dorm ?? room.isDorm,
    occupancy: { adults: line.adults, children: line.children },
  }
}

function problemText(booking: Booking, faults: readonly Fault[], view: ConnectionView): RenderedRow {
  const before = { code: 'accommodation_unresolved', reservation_id: booking.reservation_id }
  const after = {
    message: problemMessage(booking.reservation_id, faults),
    correlation_id: problemCorrelationId(view.connectionId, booking.reservation_id),
    details: faults.map(({ pointer, code }) => ({ pointer, code })),
  }
  return aroundStamp('problem', before, after)
}

function aroundStamp(kind: RenderedRow['kind'], before: object, after: object): RenderedRow {
  return {
    kind,
    head: `${JSON.stringify(before).slice(0, -1)}${STAMP_FIELD}`,
    tail: `",${JSON.stringify(after).slice(1)}`,
  }
}

/** A JSON number with the digits as given: money is never a float. */
const amount = (decimal: string | null): unknown => (decimal === null ? null : rawJson(decimal))

const { rawJSON: rawJson } = JSON as unknown as { rawJSON: (text: string) => unknown }
