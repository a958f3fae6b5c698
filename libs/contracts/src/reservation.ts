import type { BookingGuest, BookingStatus } from './booking-events.js'
import type { CalendarDay, CurrencyCode, Integer, Timestamp } from './field-types.js'

/** Version of every response body. */
export const SCHEMA_VERSION = '1.0.0'

/** A reservation exactly as partners see it. */
export interface Reservation {
  /** Stable booking reference; unchanged across modification and cancellation. */
  reservation_id: string
  /** The connection's id. */
  property_id: string
  /** Your own property code. */
  external_property_id: string
  check_in: CalendarDay
  check_out: CalendarDay
  /** `pending` only while an amendment of a confirmed booking is under request. */
  status: BookingStatus
  /** True exactly when `status` is `cancelled`. */
  cancelled: boolean
  /** The change stamp: unique and strictly increasing per connection. */
  updated_at: Timestamp
  created_at: Timestamp | null
  guest_count: Integer | null
  guest: BookingGuest
  /** Of the amounts of this reservation. */
  currency: CurrencyCode
  /** Printed with the digits the booking engine gave; null means unknown, never 0. */
  total_amount: number | null
  /** Collected online; null means unknown. */
  paid_amount: number | null
  accommodation: AccommodationLine[]
  special_requests: string | null
}

/** One room and rate of a reservation. */
export interface AccommodationLine {
  /** Your id of the room; null while it is unmapped. */
  external_room_id: string | null
  /** Your id of the rate plan; null while it is unmapped. */
  external_rate_plan_id: string | null
  rate_plan_name: string | null
  /** Units booked, beds or rooms. */
  quantity: Integer
  beds: Integer | null
  bed_type: string | null
  room_number: string | null
  room_type: string | null
  /** Whether the room is a dormitory. */
  is_dorm: boolean
  occupancy: { adults: Integer; children: Integer }
}

/**
 * Element of a page's `errors`: a reservation that could not be normalised, at its place in the order.
 * @public The description of the interface has it by its name.
 */
export interface ReservationProblem {
  code: 'accommodation_unresolved'
  reservation_id: string
  /** Its place in the order; the checkpoint moves past it. */
  updated_at: Timestamp
  message: string
  /** Quote it to operations. */
  correlation_id: string
  details: {
    /** JSON pointer into the reservation. */
    pointer: string
    code: ProblemCode
  }[]
}

/** Why a booking makes no reservation. */
export type ProblemCode =
  'room_unknown' | 'no_accommodation' | 'quantity_below_one' | 'check_out_not_after_check_in' | 'currency_unknown'

/** One page of the feed, in the order of `updated_at`. */
export interface FeedPage {
  schema_version: string
  property_id: string
  external_property_id: string
  reservations: Reservation[]
  /** Reservations that could not be normalised; the page is still processed. */
  errors: ReservationProblem[]
  pagination: Pagination
}

/** Where a page of a list ends. */
export interface Pagination {
  /** As asked for. */
  limit: Integer
  /** Items on this page. */
  count: Integer
  has_more: boolean
  /** Opaque; send it as `cursor`. Null exactly when there is no more. */
  next_cursor: string | null
}

/** Answer of GET /reservations/{reservation_id}. */
export interface SingleReservation {
  schema_version: string
  reservation: Reservation
}
