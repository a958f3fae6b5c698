import type { ErrorCode } from '@connectivity/contracts/errors'
import type { Explained } from './explanation.js'

/** Errors in the form of a request. */
export const requests = {
  invalid_request: {
    meaning: 'The request is malformed.',
    cause:
      'A parameter or field is missing, unknown, of the wrong type, repeated or unreadable, or the JSON is broken or holds too much.',
    action:
      'Fix what `details` points at: `pointer` is a parameter’s name or a JSON pointer into the body. `unknown_parameter` names the parameter that you may have meant. `details_truncated` says that there are more faults than the 100 listed.',
  },
  invalid_cursor: {
    meaning: 'The cursor cannot be continued.',
    cause: 'It was changed, cut off, or belongs to another connection, caller or list. Cursors do not expire.',
    action:
      'For reservations and events, start again from your last saved checkpoint; for other lists, start without a cursor.',
  },
  idempotency_key_required: {
    meaning: 'The request changes something and has no Idempotency-Key.',
    cause: 'The header is missing or empty.',
    action: 'Send a fresh UUID with every new mutation, and the same one when you repeat it.',
  },
  invalid_idempotency_key: {
    meaning: 'The Idempotency-Key is malformed.',
    cause: 'It is longer than 255 characters, not visible ASCII, badly quoted, or sent twice.',
    action: 'Send one key of 1 to 255 visible ASCII characters, such as a UUID.',
  },
  idempotency_in_progress: {
    meaning: 'A request with this key is still in progress.',
    cause: 'The request was repeated before the first one was answered.',
    action: 'Wait for the seconds in `Retry-After` and repeat the request unchanged: it gets the answer of the first.',
  },
  idempotency_key_reused: {
    meaning: 'The key was used for another request.',
    cause: 'Method, path, query or body differ from the first request with this key.',
    action: 'Use a fresh key for every new change. Nothing was done.',
  },
  not_found: {
    meaning: 'The path or the id does not exist.',
    cause: 'A misspelt path (they are matched exactly: case, doubled and trailing slashes count) or an unknown id.',
    action: 'Check the path against this description, the id against what you were given.',
  },
  method_not_allowed: {
    meaning: 'The path does not take this method.',
    cause: 'For example POST where only GET is described.',
    action: 'Use a method from the `Allow` header.',
  },
  request_timeout: {
    meaning: 'The request arrived too slowly.',
    cause: 'Headers took more than 10 s or the whole request more than 30 s.',
    action: 'Send it again on a new connection.',
  },
  payload_too_large: {
    meaning: 'The body is longer than this call takes.',
    cause:
      'More than 1 MiB where the body holds a list (ARI, mappings, acknowledgements, replay, callback diagnosis), more than 16 KiB anywhere else.',
    action: 'Split a list into several requests, each with its own Idempotency-Key; send less where there is none.',
  },
  uri_too_long: {
    meaning: 'The request line exceeds 16 KiB.',
    cause: 'An overlong query.',
    action: 'Shorten it.',
  },
  request_header_fields_too_large: {
    meaning: 'Request line and headers exceed 16 KiB together, or there are more than 500 headers.',
    cause: 'Cookies or tracing headers that a proxy adds, usually.',
    action: 'Send fewer headers.',
  },
  unsupported_media_type: {
    meaning: 'The format of the body is not supported.',
    cause: 'Another Content-Type than `application/json`, another charset than utf-8, or a compressed body.',
    action: 'Send `Content-Type: application/json` without Content-Encoding.',
  },
  rate_limited: {
    meaning: 'Too many requests.',
    cause:
      'The class of this call is used up; the `RateLimit` headers of every answer say how much is left. Or too many authentications from your address have failed; then the connection is closed.',
    action: 'Wait for the seconds in `Retry-After`, then go on more slowly, after failures with a valid credential.',
  },
} satisfies Partial<Record<ErrorCode, Explained>>

/** Errors on our side. */
export const faults = {
  internal_error: {
    meaning: 'The service failed.',
    cause: 'A fault of the service.',
    action: 'Retry with exponential back-off; if it persists, send operations the `correlation_id`.',
  },
  service_unavailable: {
    meaning: 'This part of the service is not available at the moment.',
    cause:
      'A restart, an outage, a feed that is being set up or filled with existing reservations, or too many large bodies sent at once.',
    action: 'Wait for the seconds in `Retry-After`, then retry with exponential back-off; do not move your checkpoint.',
  },
  upstream_timeout: {
    meaning: 'The service did not answer in time.',
    cause: 'An overloaded part of the service.',
    action: 'Retry with exponential back-off; a mutation with the same Idempotency-Key.',
  },
} satisfies Partial<Record<ErrorCode, Explained>>
