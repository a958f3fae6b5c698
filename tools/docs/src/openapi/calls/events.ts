import type {
  AcknowledgementsAnswer,
  AcknowledgementsWrite,
  EventAttempts,
  EventPage,
  EventsReplay,
  ReplayAccepted,
} from '@connectivity/contracts/event-index'
import { deliveryStates, eventFilters, eventOrders } from '@connectivity/contracts/event-index'
import type { ReservationEvent } from '@connectivity/contracts/reservation-events'
import { type CallText, query } from '../call-text.js'
import { external_property_id, property_id, reservation, schema_version } from './samples.js'

const event_id = 'evt_01jd3v8m6qf0y4b7t2x9k5n1ha'

/** A change of the dates. */
export const event = {
  schema_version,
  event_id,
  type: 'reservation.modified',
  property_id,
  external_property_id,
  sequence: 4711,
  occurred_at: reservation.updated_at,
  reservation_id: reservation.reservation_id,
  data: { reservation, previous_status: 'confirmed', changes: ['check_out', 'total_amount'] },
} satisfies ReservationEvent

const page = {
  schema_version,
  property_id,
  events: [
    {
      ...event,
      delivery: {
        state: 'pending',
        attempts: 2,
        last_status: 503,
        last_error: null,
        next_attempt_at: '2026-11-20T10:18:05.000Z',
      },
      acknowledgement: null,
    },
  ],
  pagination: { limit: 50, count: 1, has_more: false, next_cursor: null },
} satisfies EventPage

const attempts = {
  schema_version,
  property_id,
  event_id,
  attempts: [
    {
      number: 1,
      at: '2026-11-20T10:15:31.004Z',
      url: 'https://pms.example.com/hooks/reservations',
      status: null,
      error: 'timeout',
      duration_ms: 15_003,
      response_excerpt: null,
    },
    {
      number: 2,
      at: '2026-11-20T10:15:51.220Z',
      url: 'https://pms.example.com/hooks/reservations',
      status: 503,
      error: null,
      duration_ms: 84,
      response_excerpt: '{"error":"queue is full"}',
    },
  ],
} satisfies EventAttempts

const byId = { property_id, event_ids: [event_id] } satisfies EventsReplay
const range = { property_id, from_sequence: 4700, to_sequence: 4711 } satisfies EventsReplay
const accepted = {
  schema_version,
  property_id,
  replay_id: 'rpl_01jd3v8m6qf0y4b7t2x9k5n1ha',
  events: 1,
} satisfies ReplayAccepted

const said = {
  property_id,
  acknowledgements: [
    { event_id, outcome: 'processed', partner_reservation_id: 'B-2041' },
    { event_id: 'evt_01jd3v8m6qf0y4b7t2x9k5n1hb', outcome: 'deferred', reason: 'room is being set up' },
  ],
} satisfies AcknowledgementsWrite

const results = {
  schema_version,
  property_id,
  results: [
    { event_id, status: 'acknowledged' },
    { event_id: 'evt_01jd3v8m6qf0y4b7t2x9k5n1hb', status: 'acknowledged' },
  ],
  unacknowledged: 1,
} satisfies AcknowledgementsAnswer

export const eventCalls: Record<string, CallText> = {
  'GET /reservations/events': {
    operationId: 'listEvents',
    tag: 'Events',
    summary: 'List events',
    description:
      'Every event of the connection of the last 30 days, oldest first unless `order` says otherwise, with the state of its delivery and your acknowledgement. A fallback for callbacks; to stay in step without them, pull the feed.',
    parameters: [
      query('status', 'Event filter.', { type: 'string', enum: [...eventFilters], default: 'all' }, 'unacknowledged'),
      query(
        'state',
        'State of the delivery by which events are filtered; keep it while you follow a cursor.',
        { type: 'string', enum: [...deliveryStates] },
        'failed',
      ),
      query(
        'order',
        '`desc` lists the newest event first; keep it while you follow a cursor.',
        { type: 'string', enum: [...eventOrders], default: 'asc' },
        'desc',
      ),
      query(
        'after_sequence',
        'Sequence after which events are listed; 410 if one of them has expired.',
        { type: 'integer', minimum: 0 },
        4700,
      ),
      query(
        'cursor',
        '`pagination.next_cursor` of the page before.',
        { type: 'string' },
        'ZTEuAX5rQ2sZ3v0wq7Hn1mTt8b4y',
      ),
      query('limit', 'Page size.', { type: 'integer', minimum: 1, maximum: 100, default: 50 }, 50),
    ],
    answers: [
      {
        status: 200,
        description: 'A page, possibly empty.',
        type: 'EventPage',
        headers: ['Preference-Applied'],
        examples: { pending: { summary: 'An event that is on its way', value: page } },
      },
    ],
    errors: ['invalid_cursor', 'events_expired'],
  },
  'GET /reservations/events/{event_id}/attempts': {
    operationId: 'listEventAttempts',
    tag: 'Events',
    summary: 'List the attempts at an event',
    description:
      'Every request to your address for one event: its time, its URL and your answer. Kept as long as the event; empty before the first attempt and without a callback.',
    parameters: [
      {
        name: 'event_id',
        in: 'path',
        required: true,
        description: 'The `event_id`.',
        schema: { type: 'string', minLength: 1 },
        example: event_id,
      },
    ],
    answers: [
      {
        status: 200,
        description: 'The attempts, oldest first.',
        type: 'EventAttempts',
        examples: { failing: { summary: 'A receiver that fails', value: attempts } },
      },
    ],
    errors: ['not_found'],
  },
  'POST /reservations/events/replay': {
    operationId: 'replayEvents',
    tag: 'Events',
    summary: 'Replay events',
    description:
      'Delivers events again: up to 1,000 by id, or all in a range of sequences, both ends included. Unknown ids are skipped; the numbers of attempts continue.',
    requests: {
      ids: { summary: 'By id', value: byId },
      range: { summary: 'A range of sequences', value: range },
    },
    answers: [
      {
        status: 202,
        description: 'The events will be delivered again.',
        type: 'ReplayAccepted',
        examples: { accepted: { summary: 'One event', value: accepted } },
      },
    ],
    errors: ['not_found'],
  },
  'POST /reservations/ack': {
    operationId: 'acknowledgeEvents',
    tag: 'Events',
    summary: 'Acknowledge events',
    description:
      'Records what you have done with 1 to 200 events. `deferred` may be followed by another outcome, `processed` and `rejected` are final. An event that is acknowledged before it was delivered is not delivered any more. The pull feed is not affected.',
    requests: { said: { summary: 'One processed, one deferred', value: said } },
    answers: [
      {
        status: 200,
        description: 'Result of each acknowledgement, in order; `not_found` for events that are not yours.',
        type: 'AcknowledgementsAnswer',
        examples: { results: { summary: 'Both acknowledged', value: results } },
      },
    ],
  },
}
