import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsInt, IsString, MaxLength, Min } from 'class-validator'
import type { ReservationEvent } from './reservation-events.js'
import { Line, NestedList, Optional, Text } from './validation.js'

/** How far the delivery of an event to the partner's callback has come, api.md §8. */
export const deliveryStates = ['pending', 'delivered', 'failed', 'held', 'superseded', 'not_configured'] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** What a partner says of an event; `deferred` may be followed by another word, the others are final. */
export const acknowledgementOutcomes = ['processed', 'rejected', 'deferred'] as const
export type AcknowledgementOutcome = (typeof acknowledgementOutcomes)[number]

/** Which events GET /reservations/events lists. */
export const eventFilters = ['all', 'unacknowledged', 'failed'] as const
export type EventFilter = (typeof eventFilters)[number]

/** An event of the index: the envelope, how its delivery stands and what the partner said of it. */
export interface IndexedEvent extends ReservationEvent {
  delivery: {
    state: DeliveryState
    attempts: number
    /** HTTP status of the last attempt's answer. */
    last_status: number | null
    /** Short code of what went wrong at the last attempt. */
    last_error: string | null
    next_attempt_at: string | null
  }
  acknowledgement: { outcome: AcknowledgementOutcome; at: string } | null
}

/** Answer of GET /reservations/events. */
export interface EventPage {
  schema_version: string
  property_id: string
  events: IndexedEvent[]
  pagination: { limit: number; count: number; has_more: boolean; next_cursor: string | null }
}

const MAX_REPLAYED = 1_000
const MAX_ACKNOWLEDGED = 200
const MAX_ID = 128

/** Body of POST /reservations/events/replay: events by id, or all of a range. */
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
  from_sequence?: number

  /** Last sequence of a range, inclusive. */
  @Optional()
  @IsInt()
  @Min(0)
  to_sequence?: number
}

/** Answer of POST /reservations/events/replay. */
export interface ReplayAccepted {
  schema_version: string
  property_id: string
  replay_id: string
  /** How many will be delivered again. */
  events: number
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

/** Body of POST /reservations/ack. */
export class AcknowledgementsWrite {
  @Line(MAX_ID)
  property_id: string

  @NestedList(() => AcknowledgementWrite)
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_ACKNOWLEDGED)
  acknowledgements: AcknowledgementWrite[]
}

/** Answer of POST /reservations/ack. */
export interface AcknowledgementsAnswer {
  schema_version: string
  property_id: string
  results: { event_id: string; status: AcknowledgementStatus }[]
  /** Events of the property that are neither processed nor rejected. */
  unacknowledged: number
}

export type AcknowledgementStatus = 'acknowledged' | 'already_acknowledged' | 'not_found'
