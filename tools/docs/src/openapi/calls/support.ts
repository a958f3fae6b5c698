import type { RequestAnswer, RequestPage } from '@connectivity/contracts/request-log'
import { authMethods } from '@connectivity/contracts/request-log'
import { signatureHints } from '@connectivity/contracts/signature-hints'
import type { Timeline } from '@connectivity/contracts/timeline'
import { type CallText, query } from '../call-text.js'
import { correlation_id, property_id, reservation, schema_version } from './samples.js'

const served = {
  at: '2026-11-20T10:16:00.250Z',
  correlation_id,
  method: 'GET',
  path: '/api/connectivity/v1/reservations',
  query: { property_id, updated_since: '2026-11-20T10:15:00.000Z' },
  property_id,
  credential_id: 'key_01jd3v8m6qf0y4b7t2x9k5n1ha',
  auth_method: 'signature',
  authenticated: true,
  status: 200,
  code: null,
  details: [],
  duration_ms: 4.211,
  request_bytes: 0,
  response_bytes: 1874,
  rate_limit: { class: 'feed', remaining: 59 },
  clock_skew_seconds: 0,
  idempotency: null,
  page: { from: reservation.updated_at, to: reservation.updated_at, rows: 1 },
  repeated: 1,
} satisfies RequestAnswer['request']

const refused = {
  ...served,
  at: '2026-11-20T10:15:58.100Z',
  correlation_id: '5e0f5b1c-1c0b-4f0c-9d55-7a2f60c1b5de',
  auth_method: null,
  authenticated: false,
  status: 401,
  code: 'invalid_signature',
  details: [
    {
      pointer: 'X-Service-Signature',
      code: 'signature_mismatch',
      message: signatureHints.query_was_signed,
      hint: 'query_was_signed',
    },
  ],
  response_bytes: 391,
  rate_limit: null,
  page: null,
  repeated: 12,
} satisfies RequestAnswer['request']

const list = {
  schema_version,
  requests: [served, refused],
  pagination: { limit: 50, count: 2, has_more: false, next_cursor: null },
} satisfies RequestPage

const one = { schema_version, request: served } satisfies RequestAnswer

const event_id = 'evt_01jd3v8m6qf0y4b7t2x9k5n1ha'
const nothing = { updated_at: null, changes: null, correlation_id: null, event_id: null, status: null }

const timeline = {
  schema_version,
  property_id,
  reservation_id: reservation.reservation_id,
  entries: [
    { ...nothing, at: reservation.updated_at, kind: 'stamped', updated_at: reservation.updated_at, changes: [] },
    { ...nothing, at: '2026-11-20T10:15:30.140Z', kind: 'event', updated_at: reservation.updated_at, event_id },
    { ...nothing, at: '2026-11-20T10:15:30.180Z', kind: 'attempt', event_id, status: 200 },
    { ...nothing, at: served.at, kind: 'served', updated_at: reservation.updated_at, correlation_id },
  ],
} satisfies Timeline

const CLIENT_CHOSEN = { type: 'string', maxLength: 128 } as const

export const supportCalls: Record<string, CallText> = {
  'GET /requests': {
    operationId: 'listRequests',
    tag: 'Support',
    summary: 'List your requests',
    description:
      'Your requests of the last 14 days and how they were answered, newest first: those that authenticated as your application, and failed ones that named one of your keys or clients. An entry is visible within 2 s. Equal polls of a minute that found nothing are one entry with `repeated`. Bodies, secrets and guest data are never kept. When we are short of capacity, entries can be missing.',
    parameters: [
      query('property_id', 'Connection of the requests; all of yours when absent.', CLIENT_CHOSEN, property_id),
      query(
        'since',
        'Earliest time of the requests, inclusive.',
        { type: 'string', format: 'date-time' },
        '2026-11-20T00:00:00Z',
      ),
      query(
        'until',
        'Latest time of the requests, exclusive.',
        { type: 'string', format: 'date-time' },
        '2026-11-21T00:00:00Z',
      ),
      query('status', 'A status, or a class of statuses.', { type: 'string', pattern: '^[1-5]([0-9]{2}|xx)$' }, '4xx'),
      query('code', 'Code of the error.', CLIENT_CHOSEN, 'invalid_signature'),
      query('method', 'HTTP method.', CLIENT_CHOSEN, 'GET'),
      query('path', 'Path, whole or below the base path.', { type: 'string', maxLength: 1024 }, '/reservations'),
      query('correlation_id', '`X-Correlation-Id` of the answer.', CLIENT_CHOSEN, correlation_id),
      query(
        'auth_method',
        'How the sender was authenticated.',
        { type: 'string', enum: [...authMethods] },
        'signature',
      ),
      query(
        'cursor',
        '`pagination.next_cursor` of the page before; it keeps the filters.',
        { type: 'string' },
        'WzE3OTUyNDA1NjAyNTAsIjQyIix7fV0',
      ),
      query('limit', 'Page size.', { type: 'integer', minimum: 1, maximum: 100, default: 50 }, 50),
    ],
    answers: [
      {
        status: 200,
        description: 'A page, possibly empty.',
        type: 'RequestPage',
        examples: { list: { summary: 'A page of the feed, and twelve requests with a wrong signature', value: list } },
      },
    ],
    errors: ['invalid_cursor', 'property_forbidden'],
  },
  'GET /requests/{correlation_id}': {
    operationId: 'getRequest',
    tag: 'Support',
    summary: 'Get a request',
    description:
      'The newest of your requests with this correlation id. An entry for several equal polls has the correlation id of the first.',
    parameters: [
      {
        name: 'correlation_id',
        in: 'path',
        required: true,
        description: '`X-Correlation-Id` of the answer.',
        schema: { type: 'string', minLength: 1 },
        example: correlation_id,
      },
    ],
    answers: [
      {
        status: 200,
        description: 'The request.',
        type: 'RequestAnswer',
        examples: { one: { summary: 'A page of the feed', value: one } },
      },
    ],
    errors: ['not_found'],
  },
  'GET /reservations/{reservation_id}/timeline': {
    operationId: 'getReservationTimeline',
    tag: 'Support',
    summary: 'Get the timeline of a reservation',
    description:
      'Lists the history of a reservation, oldest first (of equal times: stamp, `event`, `attempt`, `served`, `acknowledged`): when it changed, which of your requests fetched it, and what your callback answered. Changes are kept for 90 days, events with their attempts for 30 days, requests for 14 days. An entry `served` proves that we sent the page; a missing one proves nothing, because entries of requests can be missing: `processed_to` of GET /reservations/status tells how far you have come.',
    parameters: [
      {
        name: 'reservation_id',
        in: 'path',
        required: true,
        description: 'The `reservation_id`.',
        schema: { type: 'string', minLength: 1 },
        example: reservation.reservation_id,
      },
    ],
    answers: [
      {
        status: 200,
        description: 'The newest thousand entries, oldest first.',
        type: 'Timeline',
        examples: { fetched: { summary: 'A new reservation that was called back and pulled', value: timeline } },
      },
    ],
    errors: ['not_found'],
  },
}
