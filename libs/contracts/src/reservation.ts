import type { BookingGuest, BookingStatus } from './booking-events.js'
import type {
  CalendarDay,
  CurrencyCode,
  ExternalPropertyId,
  ExternalRatePlanId,
  ExternalRoomId,
  Integer,
  PropertyId,
  ReservationId,
  SchemaVersion,
  Timestamp,
} from './field-types.js'

/** Version of every response body. */
export const SCHEMA_VERSION = '1.0.0'

/** A reservation exactly as partners see it. */
export interface Reservation {
  reservation_id: ReservationId
  property_id: PropertyId
  external_property_id: ExternalPropertyId
  /** Day of arrival. */
  check_in: CalendarDay
  /** Day of departure. */
  check_out: CalendarDay
  /** Status; `pending` only while an amendment of a confirmed booking awaits approval. */
  status: BookingStatus
  /** True exactly when `status` is `cancelled`. */
  cancelled: boolean
  /** The change stamp: unique and strictly increasing per connection. */
  updated_at: Timestamp
  /** When the booking was made; null when unknown. */
  created_at: Timestamp | null
  /** Guests of the whole booking; null when unknown. */
  guest_count: Integer | null
  /** The traveller. */
  guest: BookingGuest
  /** Currency of the amounts of this reservation. */
  currency: CurrencyCode
  /** Value of the booking, with the digits as the booking engine gave them; null, not 0, means unknown. */
  total_amount: number | null
  /** Amount collected online; null means unknown. */
  paid_amount: number | null
  /**
   * Rooms and rates, one line each.
   * @maxItems 5000
   */
  accommodation: AccommodationLine[]
  /** Special requests of the guest, as given. */
  special_requests: string | null
}

/** One room and rate of a reservation. */
export interface AccommodationLine {
  external_room_id: ExternalRoomId | null
  external_rate_plan_id: ExternalRatePlanId | null
  /** Name of the rate plan. */
  rate_plan_name: string | null
  /** Units booked, beds or rooms. */
  quantity: Integer
  /** Number of beds, where it applies. */
  beds: Integer | null
  /** Label of the beds. */
  bed_type: string | null
  /** Number of the room, when known. */
  room_number: string | null
  /** Label of the room. */
  room_type: string | null
  /** Whether the room is a dormitory. */
  is_dorm: boolean
  /** Guests of this line. */
  occupancy: LineOccupancy
}

/**
 * Guests of a room and rate.
 * @public The description of the interface has it by its name.
 */
export interface LineOccupancy {
  /** Number of adults. */
  adults: Integer
  /** Number of children. */
  children: Integer
}

/**
 * Element of a page's `errors`: a reservation that could not be normalised, at its place in the order.
 * @public The description of the interface has it by its name.
 */
export interface ReservationProblem {
  /** Always `accommodation_unresolved`. */
  code: 'accommodation_unresolved'
  reservation_id: ReservationId
  /** Its place in the order; the checkpoint moves past it. */
  updated_at: Timestamp
  /** Explanation and next step, for people. */
  message: string
  /** Id to quote to operations. */
  correlation_id: string
  /** Faults of the booking. */
  details: ProblemDetail[]
}

/**
 * One fault of a booking.
 * @public The description of the interface has it by its name.
 */
export interface ProblemDetail {
  /** JSON pointer into the reservation. */
  pointer: string
  /** Kind of the fault. */
  code: ProblemCode
}

/** Reasons why a booking cannot be shown as a reservation. */
export type ProblemCode =
  'room_unknown' | 'no_accommodation' | 'quantity_below_one' | 'check_out_not_after_check_in' | 'currency_unknown'

/** One page of the feed, in the order of `updated_at`. */
export interface FeedPage {
  schema_version: SchemaVersion
  property_id: PropertyId
  external_property_id: ExternalPropertyId
  /**
   * Reservations in the order of `updated_at`.
   * @maxItems 100
   */
  reservations: Reservation[]
  /**
   * Reservations that could not be normalised; process the page and go on.
   * @maxItems 100
   */
  errors: ReservationProblem[]
  /** Continuation of the list. */
  pagination: Pagination
}

/** End of a page, and continuation of the list. */
export interface Pagination {
  /** Page size that was asked for. */
  limit: Integer
  /** Items on this page. */
  count: Integer
  /** Whether there are more pages. */
  has_more: boolean
  /** Opaque; send it as `cursor`. Null on the last page. */
  next_cursor: string | null
}

/** Answer of GET /reservations/{reservation_id}. */
export interface SingleReservation {
  schema_version: SchemaVersion
  /** The reservation as the feed holds it. */
  reservation: Reservation
}
