import type { BookingStatus } from './booking-events.js'
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
