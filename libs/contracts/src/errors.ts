import type { CorrelationId, Integer, SchemaVersion, Timestamp } from './field-types.js'
import { SCHEMA_VERSION } from './reservation.js'
import type { SignatureHint } from './signature-hints.js'

/** Every error code of the interface with its HTTP status. */
export const errorStatus = {
  invalid_request: 400,
  invalid_cursor: 400,
  idempotency_key_required: 400,
  invalid_idempotency_key: 400,
  unsupported_grant_type: 400,
  invalid_scope: 400,
  invalid_token: 401,
  invalid_client: 401,
  invalid_signature: 401,
  property_forbidden: 403,
  connection_disabled: 403,
  insufficient_scope: 403,
  insufficient_role: 403,
  cross_site_request: 403,
  mapping_write_forbidden: 403,
  not_found: 404,
  entity_not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  idempotency_in_progress: 409,
  mapping_conflict: 409,
  version_conflict: 409,
  invalid_transition: 409,
  connection_exists: 409,
  application_not_approved: 409,
  credential_revoked: 409,
  request_already_open: 409,
  already_in_production: 409,
  checkpoint_too_old: 409,
  events_expired: 410,
  payload_too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  accommodation_unresolved: 422,
  checklist_incomplete: 422,
  idempotency_key_reused: 422,
  ari_rejected: 422,
  currency_required: 422,
  currency_mismatch: 422,
  callback_unreachable: 422,
  rate_limited: 429,
  request_header_fields_too_large: 431,
  internal_error: 500,
  service_unavailable: 503,
  upstream_timeout: 504,
} as const

/** Kind of a refusal, for programs; `message` is for people. */
export type ErrorCode = keyof typeof errorStatus

/** One fault of a request. */
export interface ErrorDetail {
  /** JSON pointer into the body (`''` for the whole), or the name of a parameter or header. */
  pointer: string
  /** Kind of the fault, for programs. */
  code: string
  /** Explanation and next step, for people. */
  message: string
  /** The server's clock; only with `timestamp_out_of_window`. */
  server_time?: Timestamp
  /** The same instant in Unix seconds, the format of `X-Service-Timestamp`; only with `timestamp_out_of_window`. */
  server_unix_time?: Integer
  /**
   * The one common mistake with which the signature verifies; only with `signature_mismatch`, and only if there is
   * exactly one. Clients must expect further values.
   */
  hint?: SignatureHint
  /** The problem's place in the feed; only with `accommodation_unresolved`. */
  updated_at?: Timestamp
}

/** The body of every refusal. */
export interface ErrorBody {
  schema_version: SchemaVersion
  /** Why the request was refused. */
  error: ErrorInfo
}

/**
 * Why a request was refused.
 * @public The description of the interface has it by its name.
 */
export interface ErrorInfo {
  /** Kind of the refusal, for programs. Expect codes that you do not know; then use the status. */
  code: ErrorCode
  /** Explanation and next step, for people; the wording may change. */
  message: string
  correlation_id: CorrelationId
  /**
   * Each fault of the request, where there are several.
   * @maxItems 100
   */
  details?: ErrorDetail[]
  /** Present if there are more faults than the 100 that `details` holds. */
  details_truncated?: true
  /** Seconds to wait before the next try; the same value as the header `Retry-After`. */
  retry_after_seconds?: number
}

/** Most faults in one answer: checks stop at the next one. */
export const MAX_DETAILS = 100

interface ErrorExtras {
  /** The faults found, in order; at most `MAX_DETAILS`. */
  details?: ErrorDetail[]
  retryAfterSeconds?: number
  /** Further response headers, for example `Allow`. */
  headers?: Record<string, string>
}

/** A refusal sent to the caller. `message` says what to do next and names nothing internal. */
export class ServiceError extends Error {
  readonly status: number
  readonly details: ErrorDetail[] | undefined
  readonly retryAfterSeconds: number | undefined
  readonly headers: Record<string, string>

  constructor(
    readonly code: ErrorCode,
    message: string,
    extras: ErrorExtras = {},
  ) {
    super(message)
    this.name = 'ServiceError'
    this.status = errorStatus[code]
    this.details = extras.details
    this.retryAfterSeconds = extras.retryAfterSeconds
    this.headers = {
      ...(extras.retryAfterSeconds === undefined ? {} : { 'retry-after': String(extras.retryAfterSeconds) }),
      ...extras.headers,
    }
  }

  /** The body of the answer. */
  body(correlationId: string): ErrorBody {
    return {
      schema_version: SCHEMA_VERSION,
      error: {
        code: this.code,
        message: this.message,
        correlation_id: correlationId,
        ...(this.details ? { details: this.details.slice(0, MAX_DETAILS) } : {}),
        ...(this.details && this.details.length > MAX_DETAILS ? { details_truncated: true as const } : {}),
        ...(this.retryAfterSeconds === undefined ? {} : { retry_after_seconds: this.retryAfterSeconds }),
      },
    }
  }
}

/** 400 `invalid_request` about one parameter. */
export const invalidParameter = (name: string, code: string, message: string): ServiceError =>
  new ServiceError('invalid_request', message, { details: [{ pointer: name, code, message }] })
