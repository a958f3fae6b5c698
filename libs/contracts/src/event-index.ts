import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsInt, IsString, MaxLength, Min } from 'class-validator'
import type { Integer, Timestamp } from './field-types.js'
import type { Pagination } from './reservation.js'
import type { ReservationEvent } from './reservation-events.js'
import { Line, MAX_ID, NestedList, Optional, Text } from './validation.js'

/**
 * How far the delivery of an event to the callback has come: `held` while callback or connection is suspended,
 * `superseded` when it was acknowledged before, `not_configured` without a callback for its type.
 */
export type DeliveryState = 'pending' | 'delivered' | 'failed' | 'held' | 'superseded' | 'not_configured'

/** What a partner says of an event; `deferred` may be followed by another word, the others are final. */
const acknowledgementOutcomes = ['processed', 'rejected', 'deferred'] as const
export type AcknowledgementOutcome = (typeof acknowledgementOutcomes)[number]

/** Which events GET /reservations/events lists. */
export const eventFilters = ['all', 'unacknowledged', 'failed'] as const
export type EventFilter = (typeof eventFilters)[number]

/** An event of the index: the envelope, how its delivery stands and what the partner said of it. */
export interface IndexedEvent extends ReservationEvent {
  delivery: {
    state: DeliveryState
    attempts: Integer
    /** HTTP status of the last attempt's answer. */
    last_status: Integer | null
    /** Short code of what went wrong at the last attempt. */
    last_error: string | null
    next_attempt_at: Timestamp | null
  }
  acknowledgement: { outcome: AcknowledgementOutcome; at: Timestamp } | null
}

/** A page of the index, oldest event first. */
export interface EventPage {
  schema_version: string
  property_id: string
  events: IndexedEvent[]
  pagination: Pagination
}

/** Every attempt to deliver one event to the callback, the first one first; kept as long as the event. */
export interface EventAttempts {
  schema_version: string
  property_id: string
  event_id: string
  attempts: DeliveryAttempt[]
}

/** One request to a callback and what came of it. */
export interface DeliveryAttempt {
  /** Counts from 1, replays included. */
  number: Integer
  /** Its second is the `t` of the signature. */
  at: Timestamp
  /** Where it was sent. */
  url: string
  /** HTTP status of the answer; null without one. */
  status: Integer | null
  /** Short code of why there was no answer; null with one. */
  error: string | null
  duration_ms: Integer
  /** Beginning of the answer's body: at most 1 KiB of text, without control characters. */
  response_excerpt: string | null
}

const MAX_REPLAYED = 1_000
const MAX_ACKNOWLEDGED = 200

/** Events by id, or all of a range of sequences. */
export class EventsReplay {
  @Line(MAX_ID)
  property_id: string

  @Optional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_REPLAYED)
  @IsString({ each: true })
  @MaxLength(MAX_ID, { each: true })
  event_ids?: string[]

  /** First sequence of a range. */
  @Optional()
  @IsInt()
  @Min(0)
  from_sequence?: Integer

  /** Last sequence of a range, inclusive. */
  @Optional()
  @IsInt()
  @Min(0)
  to_sequence?: Integer
}

/** A replay that was accepted. */
export interface ReplayAccepted {
  schema_version: string
  property_id: string
  replay_id: string
  /** How many will be delivered again. */
  events: Integer
}

/** What the partner says of one event. */
export class AcknowledgementWrite {
  @Line(MAX_ID)
  event_id: string

  @IsIn(acknowledgementOutcomes)
  outcome: AcknowledgementOutcome

  /** The reservation's id on the partner's side. */
  @Optional()
  @Line(MAX_ID)
  partner_reservation_id?: string

  @Optional()
  @Text(1_000)
  reason?: string
}

/** What the partner says of events. */
export class AcknowledgementsWrite {
  @Line(MAX_ID)
  property_id: string

  @NestedList(() => AcknowledgementWrite)
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_ACKNOWLEDGED)
  acknowledgements: AcknowledgementWrite[]
}

/** What came of each acknowledgement, in their order. */
export interface AcknowledgementsAnswer {
  schema_version: string
  property_id: string
  results: { event_id: string; status: AcknowledgementStatus }[]
  /** Events of the property that are neither processed nor rejected. */
  unacknowledged: Integer
}

/** What came of one acknowledgement. */
export type AcknowledgementStatus = 'acknowledged' | 'already_acknowledged' | 'not_found'
