import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsInt, IsObject, Max, Min } from 'class-validator'
import type { EventId, Integer, PropertyId, SchemaVersion, Timestamp } from './field-types.js'
import { MAX_ID } from './message-fields.js'
import { type ReservationEventType, reservationEventTypes } from './reservation-events.js'
import { Base64, Line, Optional, Unique } from './validation.js'

/** Longest URL of a callback, characters. */
export const MAX_CALLBACK_URL = 2_048

/** Contents of a callback: the whole event, or the event without the reservation. */
const callbackPayloads = ['full', 'thin'] as const
/** Contents of a callback: the whole event, or the event without the reservation. */
export type CallbackPayload = (typeof callbackPayloads)[number]

/** States of a callback. */
export const callbackStates = ['active', 'suspended', 'suspended_by_operator'] as const
/** `suspended`: by the service, after five days without a success, or after a 410; the partner resumes it. */
export type CallbackState = (typeof callbackStates)[number]

/**
 * Why an attempt failed, as partners read it. `blocked_address` also stands for a name that does not resolve, so that
 * it reveals nothing about our network.
 */
export const attemptErrors = [
  'timeout',
  'blocked_address',
  'connection_refused',
  'connection_reset',
  'tls_error',
  'protocol_error',
  'network_error',
  'unexpected_status',
] as const
/** Reason why an attempt failed. */
export type AttemptError = (typeof attemptErrors)[number]

/** URL of a callback and the events that it gets. */
export class CallbackWrite {
  /** Address that events are sent to: https on port 443, with a name, not an IP address. */
  @Line(MAX_CALLBACK_URL)
  url: string

  /** Types of events to send; when absent, all types that exist when the callback is registered. */
  @Optional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(reservationEventTypes.length)
  @Unique()
  @IsIn(reservationEventTypes, { each: true })
  events?: ReservationEventType[]

  /** `full` (the default) or `thin`: without the reservation. */
  @Optional()
  @IsIn(callbackPayloads)
  payload?: CallbackPayload
}

/** Longest time for which two secrets sign, seconds: 30 days. */
const MAX_OVERLAP = 30 * 24 * 60 * 60

/** Overlap of the old secret with the new one. */
export class RotateCallbackSecret {
  /** Seconds for which the old secret signs as well: a day when absent, 0 ends it at once. */
  @Optional()
  @IsInt()
  @Min(0)
  @Max(MAX_OVERLAP)
  overlap_seconds?: Integer
}

/** Body of an action that takes no fields: none, or `{}`. */
export class NoFields {}

/** A callback as its partner sees it. */
export interface CallbackAnswer {
  schema_version: SchemaVersion
  property_id: PropertyId
  /**
   * Address that events are sent to.
   * @maxLength 2048
   */
  url: string
  /** Types of events that are sent. */
  events: ReservationEventType[]
  /** `thin` leaves the reservation out of callbacks. */
  payload: CallbackPayload
  /** Whether events are sent: `suspended` by the service, or `suspended_by_operator`. */
  state: CallbackState
  /** Time since which nothing is sent; null while the callback is active. */
  suspended_at: Timestamp | null
  /** Events that wait for delivery. Like `failed` and `last_success_at`, only in answers of GET and PUT. */
  pending?: Integer
  /** Events whose delivery was given up. */
  failed?: Integer
  /** When an event was last delivered; null before that. */
  last_success_at?: Timestamp | null
  /** The signing secret, `whsec_…`; only in the answer to the call that creates it. */
  secret?: string
}

/** Result of a test. */
export interface CallbackTestAnswer {
  schema_version: SchemaVersion
  property_id: PropertyId
  /** Whether the receiver answered 2xx. */
  delivered: boolean
  /** Status of the receiver's answer; null without one. */
  status: Integer | null
  /** Short code of why it was not delivered; null when it was. */
  error: string | null
  /** Milliseconds from the start of the request to its end. */
  duration_ms: Integer
}

/** A callback as your receiver got it. */
export class CallbackDiagnosis {
  @Line(MAX_ID)
  event_id: EventId

  /** Headers as received, names in any case. All but the signature headers are ignored. */
  @IsObject()
  headers: Record<string, string>

  /** The bytes of the body as received, before any parsing. */
  @Base64()
  body_base64: string
}

/**
 * Result of verifying a callback. The checks run in this order, and the first that fails gives the verdict:
 * `header_missing` (a signature header is absent), `header_malformed` (a header cannot be parsed or is of another
 * event), `body_changed` (the body differs from the one sent), `wrong_secret` (no valid secret of the callback made the
 * signature), `stale_timestamp` (no attempt has this time, and it is more than 300 s from now). `valid` if all pass.
 */
export type CallbackVerdict =
  'valid' | 'stale_timestamp' | 'wrong_secret' | 'body_changed' | 'header_malformed' | 'header_missing'

/**
 * How the body probably changed: parsed and serialised again, decoded and encoded in different character sets, or cut
 * off at the end.
 */
export type BodyChangeCause = 'json_reserialised' | 'charset' | 'truncated' | 'unknown'

/** The first difference between two bodies. */
export interface FirstDifference {
  /** Number of equal bytes before the difference. */
  offset: Integer
  /** Up to 16 bytes from that offset as sent, base64; empty at the end of the body. */
  expected: string
  /** Up to 16 bytes from that offset as received, base64; empty at the end of the body. */
  received: string
}

/** Why a callback does or does not verify. */
export interface CallbackDiagnosisAnswer {
  schema_version: SchemaVersion
  property_id: PropertyId
  event_id: EventId
  verdict: CallbackVerdict
  /** Only for `body_changed`: how the body probably changed. Null for other verdicts. */
  likely_cause: BodyChangeCause | null
  /** Only for `body_changed`: where the bodies first differ. Null for other verdicts. */
  first_difference: FirstDifference | null
  /** How to fix it. */
  message: string
}

/** Body that POST /properties/{id}/callback/test sends to the callback. */
export interface CallbackTest {
  schema_version: SchemaVersion
  event_id: EventId
  /** Always `callback.test`. */
  type: 'callback.test'
  property_id: PropertyId
  /** When the test was made. */
  occurred_at: Timestamp
}

/**
 * Body that PUT /properties/{id}/callback sends to the callback, which answers 2xx and JSON with the same `challenge`.
 */
export interface CallbackChallenge {
  schema_version: SchemaVersion
  event_id: EventId
  /** Always `callback.challenge`. */
  type: 'callback.challenge'
  property_id: PropertyId
  /** When the challenge was made. */
  occurred_at: Timestamp
  /** Text to send back in the answer. */
  challenge: string
}
