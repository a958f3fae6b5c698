import type { FeedPage, SingleReservation } from '@connectivity/contracts/reservation'
import { type CallText, query } from '../call-text.js'
import { external_property_id, property_id, reservation, schema_version } from './samples.js'

const page = {
  schema_version,
  property_id,
  external_property_id,
  reservations: [reservation],
  errors: [],
  pagination: {
    limit: 50,
    count: 1,
    has_more: true,
    next_cursor: 'YzEuAX5rQ2sZ3v0wq7Hn1mTt8b4y9s2cJxkLr5e6uVd0aPfG',
  },
} satisfies FeedPage

const problem = {
  ...page,
  reservations: [
    { ...reservation, status: 'cancelled', cancelled: true, updated_at: '2026-11-20T10:20:00.001Z' } as const,
  ],
  errors: [
    {
      code: 'accommodation_unresolved',
      reservation_id: 'RSV-1002',
      updated_at: '2026-11-20T10:20:00.002Z',
      message:
        'Reservation RSV-1002 cannot be shown: a room is not in the catalog of the property. It will appear again by itself once corrected; contact operations with the reservation_id.',
      correlation_id: 'prj-0f6366e3874cecfeb5879608d1641c1c',
      details: [{ pointer: '/accommodation/0/external_room_id', code: 'room_unknown' }],
    },
  ],
  pagination: { limit: 50, count: 1, has_more: false, next_cursor: null },
} satisfies FeedPage

const single = { schema_version, reservation } satisfies SingleReservation

const empty = {
  ...page,
  reservations: [],
  pagination: { limit: 50, count: 0, has_more: false, next_cursor: null },
} satisfies FeedPage

export const reservationCalls: Record<string, CallText> = {
  'GET /reservations': {
    operationId: 'pullReservations',
    tag: 'Reservations',
    summary: 'Pull reservations',
    description:
      'New, modified and cancelled reservations of one property connection in the order of `updated_at`, which is unique and strictly increasing per connection. Pull from your checkpoint with `updated_since`, follow `next_cursor` while `has_more` is true, upsert by `reservation_id`, and move the checkpoint to the greatest `updated_at` of a page (header `Service-Checkpoint`) once the page is processed. A client that does so never misses a change. Without side effects, safe to repeat.\n\nA reservation that could not be normalised stands in `errors` at its place in the order: process the page and go on.',
    parameters: [
      query(
        'updated_since',
        'Inclusive lower bound on `updated_at`: ISO 8601 with `Z` or an offset (`+` written as `%2B`). Absent: from the beginning.',
        { type: 'string', format: 'date-time' },
        '2026-11-20T10:15:30.123Z',
      ),
      query(
        'cursor',
        '`pagination.next_cursor` of the page before. It works with any `limit` and never expires.',
        { type: 'string' },
        'YzEuAX5rQ2sZ3v0wq7Hn1mTt8b4y9s2cJxkLr5e6uVd0aPfG',
      ),
      query('limit', 'Page size.', { type: 'integer', minimum: 1, maximum: 100, default: 50 }, 50),
    ],
    tagged: true,
    answers: [
      {
        status: 200,
        description: 'A page, possibly empty.',
        type: 'FeedPage',
        headers: ['Service-Checkpoint', 'Service-Lag-Ms', 'Preference-Applied'],
        examples: {
          page: { summary: 'A page with more to come', value: page },
          errors: { summary: 'A cancellation, and a reservation that could not be normalised', value: problem },
          empty: { summary: 'Nothing new', value: empty },
        },
      },
    ],
    errors: ['invalid_cursor'],
  },
  'GET /reservations/{reservation_id}': {
    operationId: 'getReservation',
    tag: 'Reservations',
    summary: 'Get a reservation',
    description: 'Shows a reservation as the feed holds it, for support and repair; to stay in step, pull the feed.',
    parameters: [
      {
        name: 'reservation_id',
        in: 'path',
        required: true,
        description: 'The `reservation_id`.',
        schema: { type: 'string', minLength: 1 },
        example: 'RSV-1001',
      },
    ],
    tagged: true,
    answers: [
      {
        status: 200,
        description: 'The reservation.',
        type: 'SingleReservation',
        examples: { one: { summary: 'A confirmed reservation', value: single } },
      },
    ],
    errors: ['not_found', 'accommodation_unresolved'],
  },
}
