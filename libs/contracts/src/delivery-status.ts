import type { BookingStatus } from './booking-events.js'
import type { CalendarDay, Integer, PropertyId, ReservationId, SchemaVersion, Timestamp } from './field-types.js'

/**
 * A reservation that may reach you too late.
 * @public The description of the interface has it by its name.
 */
export interface AtRiskReservation {
  reservation_id: ReservationId
  /** Day of arrival; null, like the status, for a reservation that could not be normalised. */
  check_in: CalendarDay | null
  status: BookingStatus | null
  /** Its `updated_at`: the time since which it waits. */
  changed_at: Timestamp
}

/** Answer of GET /reservations/status: changes that have not been fetched yet. */
export interface DeliveryStatus {
  schema_version: SchemaVersion
  property_id: PropertyId
  /** The connection's last `updated_at`; the epoch if there is none. */
  checkpoint: Timestamp
  /** Stamp up to which you have processed everything, as your polls imply; null before the first poll. */
  processed_to: Timestamp | null
  /** When the poll that last raised `processed_to` was answered. */
  processed_at: Timestamp | null
  /** Reservations and problems after `processed_to`, counted up to 10,000. */
  waiting: Integer
  /** Whether more than 10,000 wait. */
  waiting_is_capped: boolean
  /** `updated_at` of the first of them. */
  oldest_waiting_at: Timestamp | null
  /**
   * Reservations that wait for more than 30 minutes, with an arrival at most two days away by the property's calendar
   * and a departure that has not passed, or for more than 24 hours: at most 100, earliest arrival first, among the
   * 100,000 that wait the longest.
   */
  at_risk: AtRiskReservation[]
  /** When your proof last matched, for the latest checkpoint. */
  last_proven_at: Timestamp | null
  /** Checkpoint of that proof. */
  last_proven_checkpoint: Timestamp | null
}
