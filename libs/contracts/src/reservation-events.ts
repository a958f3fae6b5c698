import type { BookingStatus } from './booking-events.js'
import { openCloudEventText } from './cloud-event.js'
import type {
  EventId,
  ExternalPropertyId,
  Integer,
  PropertyId,
  ReservationId,
  SchemaVersion,
  Timestamp,
} from './field-types.js'
import { MessageFields } from './message-fields.js'
import type { Reservation } from './reservation.js'

/**
 * Types of events of a reservation, as a connection sees it. Event dispatch dead-letters a type that it does not know:
 * a new type is read one release before the feed publishes it.
 */
export const reservationEventTypes = ['reservation.created', 'reservation.modified', 'reservation.cancelled'] as const
/** Type of a reservation's event. */
export type ReservationEventType = (typeof reservationEventTypes)[number]

/**
 * One change that a connection can see. Callback bodies, the event index and `connectivity.reservation-events.v1`
 * carry the same object.
 */
export interface ReservationEvent {
  schema_version: SchemaVersion
  /** Id of the event, the same at every attempt; skip events that you have processed. */
  event_id: EventId
  /** `created` when the connection sees the reservation for the first time. */
  type: ReservationEventType
  property_id: PropertyId
  external_property_id: ExternalPropertyId
  /** Number of the event, strictly increasing per connection, in the feed's order; gaps are possible. */
  sequence: Integer
  /** When the change happened: the reservation's `updated_at`. */
  occurred_at: Timestamp
  reservation_id: ReservationId
  /** The change. */
  data: ReservationChange
}

/**
 * The change of a reservation.
 * @public The description of the interface has it by its name.
 */
export interface ReservationChange {
  /** The reservation as the feed shows it; absent in callbacks with the payload `thin`. */
  reservation?: Reservation
  /** Status before the change; null when the reservation is seen for the first time. */
  previous_status: BookingStatus | null
  /** Names of the top-level fields that changed, never `updated_at`. */
  changes: string[]
}

/**
 * The change of a reservation, with the reservation.
 * @public The description of the interface has it by its name.
 */
export interface FullReservationChange extends ReservationChange {
  /** The reservation as the feed shows it. */
  reservation: Reservation
}

/** An event as it is stored and sent: its ids, and its JSON text unchanged. */
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
