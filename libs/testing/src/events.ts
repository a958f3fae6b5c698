import { randomUUID } from 'node:crypto'
import type { Booking, BookingLine } from '@connectivity/contracts/booking-events'
import { cloudEventText } from '@connectivity/contracts/cloud-event'
import type { Connection } from '@connectivity/contracts/connection-events'
import type { Property, RatePlan, Room } from '@connectivity/contracts/property-events'

const TIME = '2026-11-20T10:00:00.000Z'

const event = (source: string, type: string, subject: string, data: object): string =>
  cloudEventText({ id: randomUUID(), source, type, subject, time: TIME }, JSON.stringify(data))

/** A line of a booking: one double room at the flexible rate. */
export const bookingLine = (given: Partial<BookingLine> = {}): BookingLine => ({
  room_id: 'rm_double',
  rate_plan_id: 'rp_flex',
  rate_plan_name: 'Flexible',
  quantity: 1,
  beds: null,
  bed_type: null,
  room_number: null,
  room_type: 'Double',
  is_dorm: false,
  adults: 2,
  children: 0,
  ...given,
})

/** A valid confirmed booking. */
export const booking = (given: Partial<Booking> = {}): Booking => ({
  reservation_id: 'RSV-1001',
  property_id: 'prop_1',
  version: 1,
  status: 'confirmed',
  check_in: '2026-12-01',
  check_out: '2026-12-05',
  created_at: TIME,
  guest_count: 2,
  guest: { first_name: 'Ada', last_name: 'Lovelace', full_name: null, email: 'ada@example.com', phone: null },
  currency: 'EUR',
  total_amount: '412.50',
  paid_amount: '100.00',
  accommodation: [bookingLine()],
  special_requests: null,
  ...given,
})

/** A booking as the booking engine publishes it. */
export function bookingEvent(given: Partial<Booking> = {}): string {
  const data = booking(given)
  return event('/booking-engine', `booking.${data.status}`, data.reservation_id, data)
}

/** A room for two. */
export const room = (given: Partial<Room> = {}): Room => ({
  room_id: 'rm_double',
  name: 'Double',
  kind: 'private',
  total_units: 10,
  beds_per_unit: null,
  bed_type: 'double',
  occupancy: { base: 2, max: 2, max_adults: 2, max_children: 1 },
  status: 'active',
  ...given,
})

/** A rate per room. */
export const ratePlan = (given: Partial<RatePlan> = {}): RatePlan => ({
  rate_plan_id: 'rp_flex',
  name: 'Flexible',
  room_ids: ['rm_double'],
  currency: 'EUR',
  pricing_model: 'per_room',
  occupancies: null,
  derived_from: null,
  meal_plan: null,
  refundable: true,
  tax_inclusive: true,
  status: 'active',
  ...given,
})

/** A property with one room and one rate plan. */
export const property = (given: Partial<Property> = {}): Property => ({
  property_id: 'prop_1',
  version: 1,
  name: 'Harbour Hotel',
  timezone: 'Europe/Berlin',
  currency: 'EUR',
  country: 'DE',
  rooms: [room()],
  rate_plans: [ratePlan()],
  ...given,
})

/** A property snapshot as the booking engine publishes it. */
export function propertyEvent(given: Partial<Property> = {}): string {
  const data = property(given)
  return event('/booking-engine', 'booking.property.changed', data.property_id, data)
}

/** A connection in pilot. */
export const connection = (given: Partial<Connection> = {}): Connection => ({
  connection_id: 'con_1',
  application_id: 'app_1',
  property_id: 'prop_1',
  external_property_id: 'PMS-100',
  environment: 'sandbox',
  state: 'pilot',
  version: 1,
  ...given,
})

/** A connection as the gateway publishes it. */
export function connectionEvent(given: Partial<Connection> = {}): string {
  const data = connection(given)
  return event('/gateway', 'connectivity.connection.changed', data.connection_id, data)
}
