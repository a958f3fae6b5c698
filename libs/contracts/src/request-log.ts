import type { RateClass } from './rate-limits.js'
import type { ErrorDetail } from './errors.js'
import type { CorrelationId, Integer, PropertyId, SchemaVersion, Timestamp } from './field-types.js'
import type { Pagination } from './reservation.js'
import type { SignatureHint } from './signature-hints.js'

/** Parameters by which the log is filtered, besides `property_id`. */
export const requestFilters = [
  'since',
  'until',
  'status',
  'code',
  'method',
  'path',
  'correlation_id',
  'auth_method',
] as const

/** Ways in which requests prove their sender. */
export const authMethods = ['signature', 'bearer', 'portal'] as const
/** How a request proved its sender. */
export type AuthMethod = (typeof authMethods)[number]

/** Whether the answer to a change was computed for this request or is the stored one of an earlier request. */
export type StoredAnswerUse = 'first' | 'replayed'

/**
 * Header in which the feed describes a page: first stamp, last stamp (ms) and number of rows, separated by spaces;
 * absent for an empty page. The gateway logs it and strips it.
 */
export const SERVED_PAGE_HEADER = 'x-internal-served-page'
/** Header in which a service says that its answer is stored for replays; the gateway logs it and strips it. */
export const STORED_ANSWER_HEADER = 'x-internal-stored-answer'

/** A page of the requests that match, newest first. */
export interface RequestPage {
  schema_version: SchemaVersion
  /**
   * Newest first.
   * @maxItems 100
   */
  requests: LoggedRequest[]
  pagination: Pagination
}

/** One request of the log. */
export interface RequestAnswer {
  schema_version: SchemaVersion
  request: LoggedRequest
}

/** A request and its answer, without bodies, secrets and guest data. */
export interface LoggedRequest {
  /** When the request line was read. */
  at: Timestamp
  correlation_id: CorrelationId
  /** HTTP method. */
  method: string
  /** Path as sent, at most 1 KiB. */
  path: string
  /** Query parameters by name; the values of parameters that the call does not take are null. */
  query: Record<string, string | null>
  /** The connection that the request addressed; null for none and for a foreign one. */
  property_id: PropertyId | null
  /** Key id or client id that the request named; null for none and for one that does not exist. */
  credential_id: string | null
  /** How the request proved its sender; null if it did not. */
  auth_method: AuthMethod | null
  /** Whether the request proved that it came from this credential. */
  authenticated: boolean
  /** HTTP status; 499 when the client went away before the answer. */
  status: Integer
  /** Code of the error, null without one. */
  code: string | null
  /**
   * Faults as in the answer; empty without faults.
   * @maxItems 100
   */
  details: ErrorDetail[]
  /** Time from the request line to the end of the answer, ms, including a requested wait. */
  duration_ms: number
  /** Length of the request's body. */
  request_bytes: Integer
  /** Length of the answer's body. */
  response_bytes: Integer
  /** The rate limit that the request counted against; null if it was refused before. */
  rate_limit: CountedLimit | null
  /** Time by which the client's clock is behind; null for requests without a signature's timestamp. */
  clock_skew_seconds: Integer | null
  /** Whether the answer to a change was new; null when no answer was stored. */
  idempotency: StoredAnswerUse | null
  /** Rows of a page of the feed; null for an empty page and for every other answer. */
  page: ServedPage | null
  /** Number of equal requests of one minute that this entry stands for. */
  repeated: Integer
}

/**
 * A request of a partner, or a failed one of a stranger.
 * @public The description of the operators' interface has it by its name.
 */
export interface LoggedRequestRecord extends LoggedRequest {
  /** Application of the request's sender; null for strangers. */
  application_id: string | null
}

/**
 * A request of a partner with what to do next.
 * @public The description of the operators' interface has it by its name.
 */
export interface ExplainedRequest extends LoggedRequestRecord {
  /** Message of the refusal; null without one. */
  message: string | null
  /** Probable mistake in the signature; null if none was found. */
  hint: SignatureHint | null
  /** Next step of the caller. */
  next_step: string
}

/**
 * A rate limit after a request.
 * @public The description of the interface has it by its name.
 */
export interface CountedLimit {
  /** Class of the limit. */
  class: RateClass
  /** Requests that would have passed at once after this one. */
  remaining: Integer
}

/**
 * The rows of a page.
 * @public The description of the interface has it by its name.
 */
export interface ServedPage {
  /** Stamp of the first row. */
  from: Timestamp
  /** Stamp of the last row. */
  to: Timestamp
  /** Number of reservations and problems. */
  rows: Integer
}
