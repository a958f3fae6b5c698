import type { BookingGuest, BookingStatus } from './booking-events.js'

/** Version of every response body, spec.md "Versioning". */
export const SCHEMA_VERSION = '1.0.0'

/** The reservation exactly as partners see it, spec.md "Reservation object". */
export interface Reservation {
  reservation_id: string
  /** The connection's id. */
  property_id: string
  external_property_id: string
  check_in: string
  check_out: string
  status: BookingStatus
  cancelled: boolean
  /** The change stamp: unique and strictly increasing per connection. */
  updated_at: string
  created_at: string | null
  guest_count: number | null
  guest: BookingGuest
  currency: string
  /** Printed with the digits the booking engine gave. */
  total_amount: number | null
  paid_amount: number | null
  accommodation: AccommodationLine[]
  special_requests: string | null
}

export interface AccommodationLine {
  external_room_id: string | null
  external_rate_plan_id: string | null
  rate_plan_name: string | null
  quantity: number
  beds: number | null
  bed_type: string | null
  room_number: string | null
  room_type: string | null
  is_dorm: boolean
  occupancy: { adults: number; children: number }
}

/** Element of a page's `errors`: a reservation that could not be normalised, at its place in the order. */
export interface ReservationProblem {
  code: 'accommodation_unresolved'
  reservation_id: string
  updated_at: string
  message: string
  correlation_id: string
  details: { pointer: string; code: ProblemCode }[]
}

export type ProblemCode =
  'room_unknown' | 'no_accommodation' | 'quantity_below_one' | 'check_out_not_after_check_in' | 'currency_unknown'

/** Answer of GET /reservations. */
export interface FeedPage {
  schema_version: string
  property_id: string
  external_property_id: string
  reservations: Reservation[]
  errors: ReservationProblem[]
  pagination: { limit: number; count: number; has_more: boolean; next_cursor: string | null }
}
