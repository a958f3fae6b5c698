import { type ErrorBody, type ErrorCode, errorStatus } from '@connectivity/contracts/errors'
import type { Operation } from '@connectivity/contracts/operation'
import { TOKEN_PATH } from '@connectivity/contracts/partner-api'
import type { ErrorSamples } from '../errors/error-samples.js'
import { explained, operatorsOnly } from '../errors/explained.js'
import type { CallText } from './call-text.js'
import { headersOf, IGNORED_PARAMETERS } from './headers.js'
import { refTo, type Response, type Schema } from './model.js'

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
    ...when(!open, ['invalid_signature', 'invalid_token', 'cross_site_request']),
    ...when(scope !== null, ['insufficient_scope']),
    ...when(property !== null, ['property_forbidden', 'connection_disabled']),
    ...when(method !== 'GET', ['unsupported_media_type']),
    ...when(method !== 'GET' && !open, mutating),
    ...when(owner !== 'gateway', ['upstream_timeout']),
    ...errors,
  ])
}

/** Whether clients obtain access tokens with this call. */
export const isTokenCall = ({ path }: Operation): boolean => path === TOKEN_PATH

/** @throws Error when no service has a sample of the code */
function errorExample(operation: Operation, code: ErrorCode, { anyCall, tokenCall }: ErrorSamples): ErrorBody {
  const body = (isTokenCall(operation) ? tokenCall[code] : undefined) ?? anyCall[code]
  if (body) return body
  throw new Error(`${code} has no sample: add it to error-samples.ts of the app that answers it`)
}

/** Codes of refusals that are not stored, among those of the statuses that are. */
const neverStored: ReadonlySet<ErrorCode> = new Set([
  'idempotency_in_progress',
  'idempotency_key_reused',
  'callback_unreachable',
])

/** Whether a repetition with the same key can get this refusal again. */
const isReplayed = ({ method, open }: Operation, codes: readonly ErrorCode[]): boolean =>
  method !== 'GET' &&
  !open &&
  codes.some((code) => [404, 409, 422].includes(errorStatus[code]) && !neverStored.has(code))

/**
 * Name of the component that describes one status with exactly these codes, so that calls share it. Answers of the
 * token call have one more header, and so have those that are replayed.
 */
export const errorResponseName = (operation: Operation, codes: readonly ErrorCode[]): string =>
  [
    ...(isTokenCall(operation) ? ['token'] : []),
    ...(isReplayed(operation, codes) ? ['change'] : []),
    errorStatus[codes[0]!],
    ...codes,
  ].join('.')

/** Headers of a refusal beside those of every answer, by status. */
const ownHeaders: Record<number, readonly string[]> = {
  401: ['WWW-Authenticate'],
  409: ['Retry-After'],
  429: ['Retry-After'],
  503: ['Retry-After'],
}

/** Statuses of requests refused before the caller was known: their answers have no rate-limit headers. */
const UNCOUNTED = new Set([408, 413, 414, 431])

/** Statuses of requests refused before the names of their parameters are looked at. */
const UNNAMED = new Set([401, 405, 415, 429, ...UNCOUNTED])

const narrowed = (name: string, description: string, properties: Record<string, Schema>): Schema => ({
  description,
  allOf: [refTo('schemas', name), { properties }],
})

/**
 * Schemas of the errors of every status, so that calls share them: `ErrorBody404` is an `ErrorBody` with only the codes
 * of that status.
 * @param statuses of the described answers
 * @param schemas holds `ErrorBody` and `ErrorInfo`
 */
export function errorSchemas(statuses: Iterable<number>, schemas: Record<string, Schema>): Record<string, Schema> {
  const partnerCodes = (Object.keys(errorStatus) as ErrorCode[]).filter((code) => !operatorsOnly.has(code))
  const { code, ...fields } = schemas.ErrorInfo!.properties!
  const oneOf = (codes: readonly ErrorCode[]): Schema => ({
    type: 'string',
    description: code!.description!,
    enum: [...codes],
  })
  const own = [...statuses].flatMap((status): [string, Schema][] => {
    const codes = partnerCodes.filter((one) => errorStatus[one] === status)
    return [
      [
        `ErrorInfo${status}`,
        narrowed('ErrorInfo', `Why a request was refused with ${status}.`, { code: oneOf(codes) }),
      ],
      [
        `ErrorBody${status}`,
        narrowed('ErrorBody', `The body of every ${status}.`, { error: refTo('schemas', `ErrorInfo${status}`) }),
      ],
    ]
  })
  return {
    ...Object.fromEntries(own),
    ErrorCode: oneOf(partnerCodes),
    ErrorInfo: { ...schemas.ErrorInfo, properties: { code: refTo('schemas', 'ErrorCode'), ...fields } },
  }
}

/** The answer of a call to requests that it refuses with one of these codes of one status. */
export function errorResponse(operation: Operation, codes: readonly ErrorCode[], samples: ErrorSamples): Response {
  const status = errorStatus[codes[0]!]
  const own = [
    ...(ownHeaders[status] ?? []),
    ...(isTokenCall(operation) ? ['Pragma'] : []),
    ...(codes.includes('invalid_signature') ? ['Set-Cookie'] : []), // of a portal session that has ended
    ...(isReplayed(operation, codes) ? ['Idempotent-Replayed'] : []),
    ...(operation.open || UNNAMED.has(status) ? [] : [IGNORED_PARAMETERS]),
  ]
  const examples = codes.map(
    (code) => [code, { summary: explained[code].meaning, value: errorExample(operation, code, samples) }] as const,
  )
  return {
    description: codes.map((code) => `\`${code}\`: ${explained[code].meaning}`).join('\n\n'),
    'x-error-codes': codes,
    headers: headersOf(own, !UNCOUNTED.has(status)),
    content: {
      'application/json': {
        schema: refTo('schemas', `ErrorBody${status}`),
        examples: Object.fromEntries(examples),
      },
    },
  }
}

/** Codes by status, both in ascending order of status. */
export function byStatus(codes: Iterable<ErrorCode>): Map<number, ErrorCode[]> {
  const sorted = [...codes].sort((one, other) => errorStatus[one] - errorStatus[other])
  return Map.groupBy(sorted, (code) => errorStatus[code])
}
