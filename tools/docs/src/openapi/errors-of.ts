import { type ErrorBody, type ErrorCode, errorStatus } from '@connectivity/contracts/errors'
import type { Operation } from '@connectivity/contracts/partner-api'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import { explained } from '../errors/explained.js'
import type { CallText } from './call-text.js'
import { headersOf } from './headers.js'
import type { Response, Schema } from './model.js'

/** Codes that any request may get. */
const anywhere: readonly ErrorCode[] = [
  'invalid_request',
  'request_timeout',
  'payload_too_large',
  'uri_too_long',
  'request_header_fields_too_large',
  'rate_limited',
  'internal_error',
  'service_unavailable',
]

const mutating: readonly ErrorCode[] = [
  'idempotency_key_required',
  'invalid_idempotency_key',
  'idempotency_in_progress',
  'idempotency_key_reused',
]

const when = (holds: boolean, codes: readonly ErrorCode[]): readonly ErrorCode[] => (holds ? codes : [])

/** Codes that a call can be answered with: those that follow from its kind, and its own. */
export function codesOf(operation: Operation, { errors = [] }: CallText): Set<ErrorCode> {
  const { method, owner, property, scope, open } = operation
  return new Set([
    ...anywhere,
    ...when(!open, ['invalid_signature', 'invalid_token']),
    ...when(scope !== null, ['insufficient_scope']),
    ...when(property !== null, ['property_forbidden', 'connection_disabled']),
    ...when(method !== 'GET', ['unsupported_media_type']),
    ...when(method !== 'GET' && !open, mutating),
    ...when(owner !== 'gateway', ['upstream_timeout']),
    ...errors,
  ])
}

const CORRELATION_ID = '0f8fad5b-d9cb-469f-a165-70867728950e'
const RETRIES: Partial<Record<ErrorCode, number>> = {
  rate_limited: 1,
  service_unavailable: 2,
  idempotency_in_progress: 1,
}

/** A refusal as it is answered. */
function errorExample(code: ErrorCode): ErrorBody {
  const { message, details } = explained[code]
  const seconds = RETRIES[code]
  const retry = seconds === undefined ? {} : { retry_after_seconds: seconds }
  const error = { code, message, correlation_id: CORRELATION_ID, ...(details && { details }), ...retry }
  return { schema_version: SCHEMA_VERSION, error }
}

/**
 * Name of the component that describes one status with exactly these codes, so that calls share it. Answers of the
 * token call have one more header.
 */
export const errorResponseName = ({ open }: Operation, codes: readonly ErrorCode[]): string =>
  [...(open ? ['token'] : []), errorStatus[codes[0]!], ...codes].join('.')

/** Headers of a refusal beside those of every answer, by status. */
const ownHeaders: Record<number, readonly string[]> = {
  401: ['WWW-Authenticate'],
  409: ['Retry-After'],
  429: ['Retry-After'],
  503: ['Retry-After'],
}

/** Statuses of requests refused before the caller was known: their answers have no rate-limit headers. */
const UNCOUNTED = new Set([401, 408, 413, 414, 431])

/** The error body with no other codes than these. */
function onlyCodes(codes: readonly ErrorCode[], { ErrorBody }: Record<string, Schema>): Schema {
  const narrowed = structuredClone(ErrorBody!)
  narrowed.properties!.error!.properties!.code!.enum = [...codes]
  return narrowed
}

/** @param schemas holds `ErrorBody` */
export function errorResponse(
  { open }: Operation,
  codes: readonly ErrorCode[],
  schemas: Record<string, Schema>,
): Response {
  const status = errorStatus[codes[0]!]
  const own = [...(ownHeaders[status] ?? []), ...(open ? ['Pragma'] : [])]
  const examples = codes.map((code) => [code, { summary: explained[code].meaning, value: errorExample(code) }] as const)
  return {
    description: codes.map((code) => `\`${code}\`: ${explained[code].meaning}`).join('\n\n'),
    headers: headersOf(own, !UNCOUNTED.has(status)),
    content: {
      'application/json': { schema: onlyCodes(codes, schemas), examples: Object.fromEntries(examples) },
    },
  }
}

/** Codes by status, both in ascending order of status. */
export function byStatus(codes: Iterable<ErrorCode>): Map<number, ErrorCode[]> {
  const sorted = [...codes].sort((one, other) => errorStatus[one] - errorStatus[other])
  return Map.groupBy(sorted, (code) => errorStatus[code])
}
