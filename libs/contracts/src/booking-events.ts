import { openTimedEvent } from './cloud-event.js'
import { MessageFields } from './message-fields.js'

/**
 * `booking.reservations.v1`, written by the booking engine, read by the reservation feed.
 * Full state, never a delta: a late, repeated or reordered event is settled by `version`.
 * Keyed by property id; producers other than Java and kafkajs must choose the murmur2 partitioner
 * (librdkafka: `partitioner=murmur2_random`), otherwise one property's bookings spread over partitions.
 */
export interface Booking {
  reservation_id: string
  property_id: string
  /** Higher wins; lower or equal is ignored. */
  version: number
  status: BookingStatus
  /** Property-local calendar dates, `YYYY-MM-DD`. */
  check_in: string
  check_out: string
  created_at: string | null
  guest_count: number | null
  guest: BookingGuest
  /** Currency code as given; a code unknown to ISO 4217 makes the booking a problem row, not a dead letter. */
  currency: string
  /** Decimal strings in the booking's currency; null means unknown. */
  total_amount: string | null
  paid_amount: string | null
  accommodation: BookingLine[]
  special_requests: string | null
}

/** One message: a booking's latest snapshot. */
export interface BookingEvent {
  booking: Booking
  /** When it happened at the booking engine, ms since the epoch; null when the envelope does not say. */
  time: number | null
}

/** Statuses of a booking. */
const bookingStatuses = ['pending', 'confirmed', 'cancelled'] as const
/** Status of a booking. */
export type BookingStatus = (typeof bookingStatuses)[number]

/** The traveller, as given when booking. */
export interface BookingGuest {
  /** First name. */
  first_name: string | null
  /** Last name. */
  last_name: string | null
  /** Full name, where the traveller gave one. */
  full_name: string | null
  /** E-mail address. */
  email: string | null
  /** Telephone number. */
  phone: string | null
}

/** One room and rate of a booking. */
export interface BookingLine {
  room_id: string | null
  rate_plan_id: string | null
  rate_plan_name: string | null
  quantity: number
  beds: number | null
  bed_type: string | null
  room_number: string | null
  room_type: string | null
  /** null: the booking engine did not send it; the catalog decides. */
  is_dorm: boolean | null
  adults: number
  children: number
}

/** Most lines of a booking: its event then fits into a message even if all the partner's ids are the longest. */
const MAX_LINES = 5_000

const noGuest: BookingGuest = { first_name: null, last_name: null, full_name: null, email: null, phone: null }

function readGuest(guest: MessageFields | null): BookingGuest {
  if (!guest) return noGuest
  return {
    first_name: guest.text('first_name'),
    last_name: guest.text('last_name'),
    full_name: guest.text('full_name'),
    email: guest.text('email'),
    phone: guest.text('phone'),
  }
}

function readLine(value: unknown, pointer: string): BookingLine {
  const line = MessageFields.of(value, pointer)
  return {
    room_id: line.reference('room_id'),
    rate_plan_id: line.reference('rate_plan_id'),
    rate_plan_name: line.text('rate_plan_name'),
    quantity: line.integer('quantity'),
    beds: line.optionalInteger('beds'),
    bed_type: line.text('bed_type'),
    room_number: line.text('room_number'),
    room_type: line.text('room_type'),
    is_dorm: line.flag('is_dorm'),
    adults: line.count('adults'),
    children: line.optionalInteger('children') ?? 0,
  }
}

/**
 * Reads one message. Only the fields above are copied: other fields (card data, say) are not.
 * @throws ContractViolation for wrong types and formats, which make the message a dead letter; a well-formed booking
 * that makes no sense (an unknown room, no lines) passes and becomes a problem row of the feed
 */
export function parseBookingEvent(value: Uint8Array): BookingEvent {
  const { data, time } = openTimedEvent(value)
  return { booking: readBooking(MessageFields.of(data, '/data')), time }
}

function readBooking(data: MessageFields): Booking {
  return {
    reservation_id: data.id('reservation_id'),
    property_id: data.id('property_id'),
    version: data.integer('version'),
    status: data.word('status', bookingStatuses),
    check_in: data.date('check_in'),
    check_out: data.date('check_out'),
    created_at: data.timestamp('created_at'),
    guest_count: data.optionalInteger('guest_count'),
    guest: readGuest(data.optionalObject('guest')),
    currency: data.requiredText('currency'),
    total_amount: data.amount('total_amount'),
    paid_amount: data.amount('paid_amount'),
    accommodation: data.list('accommodation', readLine, MAX_LINES),
    special_requests: data.text('special_requests'),
  }
}
