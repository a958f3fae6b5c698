import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsInt, IsString, MaxLength, Min } from 'class-validator'
import type { EventId, Integer, PropertyId, SchemaVersion, Timestamp } from './field-types.js'
import { MAX_ID } from './message-fields.js'
import type { Pagination } from './reservation.js'
import type { FullReservationChange, ReservationEvent } from './reservation-events.js'
import { Line, NestedList, Optional, Text } from './validation.js'

/**
 * State of an event's delivery to the callback: `held` while the callback is suspended or the connection does not
 * serve, `superseded` when it was acknowledged before, `not_configured` without a callback for its type.
 */
export type DeliveryState = (typeof deliveryStates)[number]

/** Outcomes that a partner acknowledges; `deferred` may be followed by another one, the others are final. */
const acknowledgementOutcomes = ['processed', 'rejected', 'deferred'] as const
/** Outcome that a partner acknowledges. */
export type AcknowledgementOutcome = (typeof acknowledgementOutcomes)[number]

/** States by which GET /reservations/events filters. */
export const deliveryStates = ['pending', 'delivered', 'failed', 'held', 'superseded', 'not_configured'] as const

/** States of deliveries that operators list: those that wait, and those that were given up. */
export const undeliveredStates = ['pending', 'failed'] as const satisfies DeliveryState[]
/** State of a delivery that operators list. */
export type UndeliveredState = (typeof undeliveredStates)[number]

/** Choices of the events that GET /reservations/events lists. */
export const eventFilters = ['all', 'unacknowledged', 'failed'] as const
/** Choice of the events to list. */
export type EventFilter = (typeof eventFilters)[number]

/** Orders of GET /reservations/events: oldest or newest first. */
export const eventOrders = ['asc', 'desc'] as const
/** Order of the events to list. */
export type EventOrder = (typeof eventOrders)[number]

/** An event of the index, with the state of its delivery and its acknowledgement. */
export interface IndexedEvent extends ReservationEvent {
  /** The change. */
  data: FullReservationChange
  /** State of its delivery to the callback. */
  delivery: EventDelivery
  /** The partner's acknowledgement; null before it. */
  acknowledgement: EventAcknowledgement | null
}

/**
 * State of an event's delivery.
 * @public The description of the interface has it by its name.
 */
export interface EventDelivery {
  /** State of the delivery. */
  state: DeliveryState
  /** Attempts made so far. */
  attempts: Integer
  /** HTTP status that answered the last attempt; null without an answer. */
  last_status: Integer | null
  /** Short code of the last attempt's failure; null without one. */
  last_error: string | null
  /** When the next attempt is due; null when none is planned. */
  next_attempt_at: Timestamp | null
}

/**
 * The partner's acknowledgement of an event.
 * @public The description of the interface has it by its name.
 */
export interface EventAcknowledgement {
  /** Outcome that the partner acknowledged. */
  outcome: AcknowledgementOutcome
  /** When it was acknowledged. */
  at: Timestamp
}

/** A page of the index, oldest event first unless `order` says otherwise. */
export interface EventPage {
  schema_version: SchemaVersion
  property_id: PropertyId
  /**
   * Events in the order of their `sequence`.
   * @maxItems 100
   */
  events: IndexedEvent[]
  /** Continuation of the list. */
  pagination: Pagination
}

/** The newest 100 attempts to deliver one event to the callback, oldest first; kept as long as the event. */
export interface EventAttempts {
  schema_version: SchemaVersion
  property_id: PropertyId
  event_id: EventId
  /** Attempts in the order of their numbers. */
  attempts: DeliveryAttempt[]
}

/**
 * Attempts to deliver one event, as operators see them.
 * @public The description of the operators' interface has it by its name.
 */
export interface EventAttemptsRecord extends EventAttempts {
  /** All attempts are on one page. */
  pagination: Pagination
}

/** One attempt to deliver an event, with its result. */
export interface DeliveryAttempt {
  /** Number of the attempt, from 1; attempts of replays are counted too. */
  number: Integer
  /** When the attempt was made; its whole seconds are the `t` of the signature. */
  at: Timestamp
  /** URL that the event was sent to. */
  url: string
  /** HTTP status of the answer; null without one. */
  status: Integer | null
  /** Short code of why there was no answer; null if there was one. */
  error: string | null
  /** Time from the start of the attempt to its end, ms. */
  duration_ms: Integer
  /** Beginning of the answer's body: at most 1 KiB of text, without control characters. */
  response_excerpt: string | null
}

const MAX_REPLAYED = 1_000
const MAX_ACKNOWLEDGED = 200

/** Events to deliver again: by id, or all in a range of sequences. */
export class EventsReplay {
  @Line(MAX_ID)
  property_id: PropertyId

  /** Ids of the events; instead of a range. */
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
  schema_version: SchemaVersion
  property_id: PropertyId
  /**
   * Names this replay.
   * @maxLength 128
   */
  replay_id: string
  /** Number of events that will be delivered again. */
  events: Integer
}

/** The acknowledgement of one event. */
export class AcknowledgementWrite {
  @Line(MAX_ID)
  event_id: EventId

  /** Outcome of processing the event; `deferred` may be followed by another outcome, the others are final. */
  @IsIn(acknowledgementOutcomes)
  outcome: AcknowledgementOutcome

  /** The reservation's id on the partner's side. */
  @Optional()
  @Line(MAX_ID)
  partner_reservation_id?: string

  /** Explanation for operations. */
  @Optional()
  @Text(1_000)
  reason?: string
}

/** Acknowledgements of events. */
export class AcknowledgementsWrite {
  @Line(MAX_ID)
  property_id: PropertyId

  /** Acknowledgements, one for each event. */
  @NestedList(() => AcknowledgementWrite)
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_ACKNOWLEDGED)
  acknowledgements: AcknowledgementWrite[]
}

/** Results of the acknowledgements, in their order. */
export interface AcknowledgementsAnswer {
  schema_version: SchemaVersion
  property_id: PropertyId
  /**
   * Results, one for each acknowledgement of the request, in its order.
   * @maxItems 200
   */
  results: AcknowledgementResult[]
  /** Events of the property that are neither processed nor rejected. */
  unacknowledged: Integer
}

/**
 * Result of one acknowledgement.
 * @public The description of the interface has it by its name.
 */
export interface AcknowledgementResult {
  event_id: EventId
  /** `not_found` for an event that is not yours. */
  status: AcknowledgementStatus
}

/** Result of one acknowledgement. */
export type AcknowledgementStatus = 'acknowledged' | 'already_acknowledged' | 'not_found'
