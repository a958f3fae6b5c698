// The properties of a run and their bookings. A reservation shows partners the version of its booking.
import type { Booking, BookingLine, BookingStatus } from '@connectivity/contracts/booking-events'
import type { Property, RatePlan, Room } from '@connectivity/contracts/property-events'
import type { Reservation } from '@connectivity/contracts/reservation'

/** A rate plan as sent: without unknown fields. */
type SentRatePlan = Omit<RatePlan, 'meal_plan' | 'refundable' | 'tax_inclusive'>

/** A property's snapshot as sent. */
export interface SentProperty extends Omit<Property, 'rate_plans'> {
  rate_plans: SentRatePlan[]
}

/** A line of a booking as sent: without unknown fields. */
type SentLine = Omit<BookingLine, 'beds' | 'bed_type' | 'room_number' | 'room_type'>

/** A booking's snapshot as sent. */
export interface SentBooking extends Omit<Booking, 'accommodation'> {
  accommodation: SentLine[]
}

/** Fields that differ between bookings and their versions. */
export interface BookingVersion {
  property_id: string
  reservation_id: string
  version: number
  /** Confirmed when absent. */
  status?: BookingStatus
  room_id: string
}

export const ROOMS: [string, ...string[]] = ['rm_0', 'rm_1', 'rm_2', 'rm_3']
export const RATE_PLAN = 'rp_flex'
/** A room that no property has: a booking of it cannot be resolved. */
export const UNKNOWN_ROOM = 'rm_nowhere'

const room = (room_id: string): Room => ({
  room_id,
  name: `Room ${room_id}`,
  kind: 'private',
  total_units: 10,
  beds_per_unit: 1,
  bed_type: 'double',
  occupancy: { base: 2, max: 2, max_adults: 2, max_children: 1 },
  status: 'active',
})

export const propertySnapshot = (property_id: string): SentProperty => ({
  property_id,
  version: 1,
  name: `Hotel ${property_id}`,
  timezone: 'UTC',
  currency: 'EUR',
  country: 'DE',
  rooms: ROOMS.map(room),
  rate_plans: [
    {
      rate_plan_id: RATE_PLAN,
      name: 'Flexible',
      room_ids: ROOMS,
      currency: 'EUR',
      pricing_model: 'per_room',
      occupancies: null,
      derived_from: null,
      status: 'active',
    },
  ],
})

const requestOf = (version: number | '') => `version ${version}`

/** The version that a reservation of the feed shows. */
export const shownVersion = ({ special_requests }: Reservation): number =>
  Number(special_requests!.slice(requestOf('').length))

/** One version of a booking. */
export const booking = ({
  property_id,
  reservation_id,
  version,
  status = 'confirmed',
  room_id,
}: BookingVersion): SentBooking => ({
  reservation_id,
  property_id,
  version,
  status,
  check_in: '2027-03-01',
  check_out: '2027-03-04',
  created_at: '2026-11-20T10:00:00.000Z',
  guest_count: 2,
  guest: { first_name: 'Ada', last_name: 'Lovelace', full_name: null, email: null, phone: null },
  currency: 'EUR',
  total_amount: '300.00',
  paid_amount: '0.00',
  accommodation: [
    {
      room_id,
      rate_plan_id: RATE_PLAN,
      rate_plan_name: 'Flexible',
      quantity: 1,
      is_dorm: false,
      adults: 2,
      children: 0,
    },
  ],
  special_requests: requestOf(version),
})
