import type {
  CorrelationId,
  EventId,
  Integer,
  PropertyId,
  ReservationId,
  SchemaVersion,
  Timestamp,
} from './field-types.js'
import type { Pagination } from './reservation.js'

/** Most entries of a timeline; older ones are left out. */
export const MAX_TIMELINE_ENTRIES = 1_000

/** Path at which the feed answers the gateway with a reservation's changes, behind `/internal` or `OPERATORS_PATH`. */
export const RESERVATION_CHANGES_PATH = '/reservation-changes'
/** Path at which event dispatch answers the gateway with a reservation's events, behind the same prefixes. */
export const RESERVATION_EVENTS_PATH = '/reservation-events'
/** Prefix of the gateway's own questions for partners' requests; for operators' requests it is `OPERATORS_PATH`. */
export const INTERNAL_PATH = '/internal'

/** How a reservation got a new stamp. */
export type StampKind = 'stamped' | 'problem' | 'mended' | 'redelivered'

/**
 * Kind of the entry. `stamped`: the reservation entered the feed or changed. `problem`: it could not be shown.
 * `mended`: it can be shown again. `redelivered`: operations delivered it again. `served`: you fetched a page with
 * it. `event`: its event was recorded. `attempt`: the event was sent to your callback. `acknowledged`: you acknowledged
 * the event.
 */
export type TimelineKind = StampKind | 'event' | 'attempt' | 'served' | 'acknowledged'

/** History of a reservation: its changes, and when you got them. */
export interface Timeline {
  schema_version: SchemaVersion
  property_id: PropertyId
  reservation_id: ReservationId
  /**
   * Oldest first, and of equal times: stamp, `event`, `attempt`, `served`, `acknowledged`. The newest thousand.
   * @maxItems 1000
   */
  entries: TimelineEntry[]
}

/**
 * The timeline of a reservation, as operators see it.
 * @public The description of the operators' interface has it by its name.
 */
export interface TimelineRecord extends Timeline {
  /** All entries are on one page. */
  pagination: Pagination
}

/** An entry of a timeline. */
export interface TimelineEntry {
  /** Time of the entry, never before the stamp that it is about: stamps may be some milliseconds ahead of the clock. */
  at: Timestamp
  /** Kind of the entry. */
  kind: TimelineKind
  /** Stamp of the reservation that the entry is about; null for `attempt` and `acknowledged`. */
  updated_at: Timestamp | null
  /** Names of the fields that changed, as in the event; null where no event has them. */
  changes: string[] | null
  /** Correlation id of the request that fetched or acknowledged it; null for other entries. */
  correlation_id: CorrelationId | null
  /** The event; null for entries about the feed. */
  event_id: EventId | null
  /** HTTP status with which your callback answered an attempt; null without an answer and for other entries. */
  status: Integer | null
}

/** The feed's answer to the gateway: changes of a reservation, oldest first. */
export interface ReservationChanges {
  changes: RecordedChange[]
}

/** A stamp that a reservation has or had. */
export interface RecordedChange {
  /** Milliseconds. */
  stamp: number
  kind: StampKind
  changes: string[] | null
  /** Time of recording, ms; until then the reservation had its earlier stamp. */
  recorded_at: number
}

/** Event dispatch's answer to the gateway: entries about a reservation's events, unordered. */
export interface ReservationEvents {
  entries: TimelineEntry[]
}
