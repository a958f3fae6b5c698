import type { BookingStatus } from './booking-events.js'
import { openCloudEventText } from './cloud-event.js'
import { MessageFields } from './message-fields.js'
import type { Reservation } from './reservation.js'

export const reservationEventTypes = ['reservation.created', 'reservation.modified', 'reservation.cancelled'] as const
export type ReservationEventType = (typeof reservationEventTypes)[number]

/**
 * `connectivity.reservation-events.v1`, written by the feed, read by event dispatch and the gateway:
 * one event per change that a connection can see, api.md §8. Callback bodies and the event index carry the same object.
 */
export interface ReservationEvent {
  schema_version: string
  event_id: string
  type: ReservationEventType
  /** The connection's id. */
  property_id: string
  external_property_id: string
  /** Strictly increasing per connection, in the feed's order; holes are allowed. */
  sequence: number
  occurred_at: string
  reservation_id: string
  data: { reservation: Reservation; previous_status: BookingStatus | null; changes: string[] }
}

/** An event as it is filed and passed on: what identifies it, and the envelope's own text. */
export interface ReservationEventText {
  eventId: string
  type: ReservationEventType
  connectionId: string
  reservationId: string
  sequence: number
  occurredAt: string
  /** JSON text of the `ReservationEvent`. */
  body: string
}

/** @throws ContractViolation for anything that is not a reservation event */
export function parseReservationEvent(value: Uint8Array): ReservationEventText {
  const { data, text } = openCloudEventText(value)
  const event = MessageFields.of(data, '/data')
  event.child('data').child('reservation')
  return {
    eventId: event.id('event_id'),
    type: event.word('type', reservationEventTypes),
    connectionId: event.id('property_id'),
    reservationId: event.id('reservation_id'),
    sequence: event.count('sequence'),
    occurredAt: event.timestamp('occurred_at') ?? event.fail('occurred_at', 'is required'),
    body: text,
  }
}
