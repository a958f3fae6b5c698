import type {
  CorrelationId,
  EventId,
  Integer,
  PropertyId,
  ReservationId,
  SchemaVersion,
  Timestamp,
} from './field-types.js'

/** Days for which the changes of a reservation are kept. */
export const TIMELINE_DAYS = 90
/** Entries of a timeline; older ones are left out. */
export const MAX_TIMELINE_ENTRIES = 1_000

/** Path at which the feed answers the gateway with a reservation's changes, behind `/internal` or `OPERATORS_PATH`. */
export const RESERVATION_CHANGES_PATH = '/reservation-changes'
/** Path at which event dispatch answers the gateway with a reservation's events, behind the same. */
export const RESERVATION_EVENTS_PATH = '/reservation-events'
/** Where services answer the gateway itself about partners' requests; about operators' below `OPERATORS_PATH`. */
export const INTERNAL_PATH = '/internal'

/** How a reservation got a new stamp. */
export type StampKind = 'stamped' | 'problem' | 'mended' | 'redelivered'

/**
 * What happened: the reservation entered or changed (`stamped`), could not be shown (`problem`) or could again
 * (`mended`), was delivered again by operations (`redelivered`), was on a page of yours (`served`); its event was recorded
 * (`event`), sent to your callback (`attempt`) or acknowledged (`acknowledged`).
 */
export type TimelineKind = StampKind | 'event' | 'attempt' | 'served' | 'acknowledged'

/** What happened to a reservation, and when you got it. */
export interface Timeline {
  schema_version: SchemaVersion
  property_id: PropertyId
  reservation_id: ReservationId
  /**
   * Oldest first; the newest thousand.
   * @maxItems 1000
   */
  entries: TimelineEntry[]
}

/** One thing that happened. */
export interface TimelineEntry {
  at: Timestamp
  /** What happened. */
  kind: TimelineKind
  /** Stamp of the reservation that it is about; null for `attempt` and `acknowledged`. */
  updated_at: Timestamp | null
  /** Names of the fields that changed, as in the event; null where no event has them. */
  changes: string[] | null
  /** Of the request that fetched or acknowledged it; null for everything else. */
  correlation_id: CorrelationId | null
  /** The event; null for everything about the feed. */
  event_id: EventId | null
  /** What your callback answered to an attempt; null without an answer, and for everything else. */
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
  /** Milliseconds: before it, the reservation still had its earlier stamp. */
  recorded_at: number
}

/** Event dispatch's answer to the gateway: what happened to a reservation's events, in no order. */
export interface ReservationEvents {
  entries: TimelineEntry[]
}
