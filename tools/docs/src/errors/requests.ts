import type { ErrorCode } from '@connectivity/contracts/errors'
import { detail, type Explained } from './explanation.js'

/** Errors in the form of a request. */
export const requests = {
  invalid_request: {
    meaning: 'The request is malformed.',
    cause:
      'A parameter or field is missing, unknown, of the wrong type, repeated or unreadable, or the JSON is broken or holds too much.',
    action:
      'Fix what `details` points at: `pointer` is a parameter’s name or a JSON pointer into the body. `unknown_parameter` names the parameter that you may have meant. `details_truncated` says that there are more faults than the 100 listed.',
    message: 'limit must be a whole number from 1 to 100.',
    details: [detail('limit', 'out_of_range', 'limit must be a whole number from 1 to 100.')],
  },
  invalid_cursor: {
    meaning: 'The cursor cannot be continued.',
    cause: 'It was changed, cut off, or belongs to another connection. Cursors do not expire.',
    action: 'Start again from your last saved checkpoint with `updated_since`.',
    message: 'The cursor does not belong to this property; start again from your last checkpoint.',
  },
  idempotency_key_required: {
    meaning: 'The request changes something and has no Idempotency-Key.',
    cause: 'The header is missing or empty.',
    action: 'Send a fresh UUID with every new mutation, and the same one when you repeat it.',
    message: 'Send an Idempotency-Key: a fresh UUID for every new change, the same one for a repetition.',
  },
  invalid_idempotency_key: {
    meaning: 'The Idempotency-Key is malformed.',
    cause: 'It is longer than 255 characters, not visible ASCII, badly quoted, or sent twice.',
    action: 'Send one key of 1 to 255 visible ASCII characters, such as a UUID.',
    message: 'Idempotency-Key must be 1 to 255 visible ASCII characters, sent once.',
  },
  idempotency_in_progress: {
    meaning: 'A request with this key is still in progress.',
    cause: 'The request was repeated before the first one was answered.',
    action: 'Wait for the seconds in `Retry-After` and repeat the request unchanged: it gets the answer of the first.',
    message: 'A request with this Idempotency-Key is still being worked on; repeat this one in a second.',
  },
  idempotency_key_reused: {
    meaning: 'The key was used for another request.',
    cause: 'Method, path, query or body differ from the first request with this key.',
    action: 'Use a fresh key for every new change. Nothing was done.',
    message: 'This Idempotency-Key was used for another request; use a fresh key for a new change.',
  },
  not_found: {
    meaning: 'The path or the id does not exist.',
    cause: 'A misspelt path (they are matched exactly: case, doubled and trailing slashes count) or an unknown id.',
    action: 'Check the path against this description, the id against what you were given.',
    message: 'There is no reservation with this id in this property’s feed.',
  },
  method_not_allowed: {
    meaning: 'The path does not take this method.',
    cause: 'For example POST where only GET is described.',
    action: 'Use a method from the `Allow` header.',
    message: 'This path does not take PATCH; it takes GET, HEAD.',
  },
  request_timeout: {
    meaning: 'The request arrived too slowly.',
    cause: 'Headers took more than 10 s or the whole request more than 30 s.',
    action: 'Send it again on a new connection.',
    message: 'The request took too long to arrive; send it again.',
  },
  payload_too_large: {
    meaning: 'The body is longer than this call takes.',
    cause:
      'More than 1 MiB where the body holds a list (ARI, mappings, acknowledgements, replay), more than 16 KiB anywhere else.',
    action: 'Split a list into several requests, each with its own Idempotency-Key; send less where there is none.',
    message: 'The body of this call may have 1 MiB; send less, or split the request if it holds a list.',
  },
  uri_too_long: {
    meaning: 'The request line exceeds 16 KiB.',
    cause: 'An overlong query.',
    action: 'Shorten it.',
    message: 'The request line is longer than 16 KiB; shorten the query.',
  },
  request_header_fields_too_large: {
    meaning: 'Request line and headers exceed 16 KiB together.',
    cause: 'Cookies or tracing headers that a proxy adds, usually.',
    action: 'Send fewer headers.',
    message: 'Request line and headers exceed 16 KiB; send fewer headers.',
  },
  unsupported_media_type: {
    meaning: 'The format of the body is not supported.',
    cause: 'Another Content-Type than `application/json`, another charset than utf-8, or a compressed body.',
    action: 'Send `Content-Type: application/json` without Content-Encoding.',
    message: 'Send the body as application/json in UTF-8 without Content-Encoding.',
  },
  rate_limited: {
    meaning: 'Too many requests.',
    cause:
      'The class of this call is used up; the `RateLimit` headers of every answer say how much is left. Or too many authentications from your address have failed; then the connection is closed.',
    action: 'Wait for the seconds in `Retry-After`, then go on more slowly, after failures with a valid credential.',
    message: 'Too many requests: 600 a minute and 60 at once. Wait 1 s, then go on more slowly.',
  },
} satisfies Partial<Record<ErrorCode, Explained>>

/** Errors on our side. */
export const faults = {
  internal_error: {
    meaning: 'The service failed.',
    cause: 'A fault of the service.',
    action: 'Retry with exponential back-off; if it persists, send operations the `correlation_id`.',
    message: 'The service failed; try again, and send operations the correlation id if it persists.',
  },
  service_unavailable: {
    meaning: 'This part of the service is not available at the moment.',
    cause:
      'A restart, an outage, a feed that is still being filled with existing reservations, or too many large bodies sent at once.',
    action: 'Wait for the seconds in `Retry-After`, then retry with exponential back-off; do not move your checkpoint.',
    message: 'This part of the service is briefly unavailable; try again with back-off.',
  },
  upstream_timeout: {
    meaning: 'The service did not answer in time.',
    cause: 'An overloaded part of the service.',
    action: 'Retry with exponential back-off; a mutation with the same Idempotency-Key.',
    message: 'The service did not answer in time; try again with back-off.',
  },
} satisfies Partial<Record<ErrorCode, Explained>>
