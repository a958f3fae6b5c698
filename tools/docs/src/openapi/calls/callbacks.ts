import type {
  CallbackAnswer,
  CallbackChallenge,
  CallbackTest,
  CallbackTestAnswer,
  CallbackWrite,
  RotateCallbackSecret,
} from '@connectivity/contracts/callbacks'
import { type ReservationEvent, reservationEventTypes } from '@connectivity/contracts/reservation-events'
import type { CallText } from '../call-text.js'
import { type Call, type Example, refTo } from '../model.js'
import { event } from './events.js'
import { property_id, schema_version } from './samples.js'

const secret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'

const write = {
  url: 'https://pms.example.com/hooks/reservations',
  events: [...reservationEventTypes],
  payload: 'full',
} satisfies CallbackWrite

const callback = {
  schema_version,
  property_id,
  ...write,
  state: 'active',
  suspended_at: null,
  pending: 0,
  failed: 0,
  last_success_at: '2026-11-20T10:15:31.004Z',
} satisfies CallbackAnswer

const tested = {
  schema_version,
  property_id,
  delivered: true,
  status: 204,
  error: null,
  duration_ms: 84,
} satisfies CallbackTestAnswer

const challenge = {
  schema_version,
  event_id: 'evt_01jd3v8m6qf0y4b7t2x9k5n1hc',
  type: 'callback.challenge',
  property_id,
  occurred_at: '2026-11-20T10:15:30.123Z',
  challenge: 'q1Kx0mZyV3nW8sT5uR7bE2dF4gH6jL9p',
} satisfies CallbackChallenge

const testEvent = {
  schema_version,
  event_id: 'evt_01jd3v8m6qf0y4b7t2x9k5n1hd',
  type: 'callback.test',
  property_id,
  occurred_at: '2026-11-20T10:15:30.123Z',
} satisfies CallbackTest

const { previous_status, changes } = event.data
const thinEvent = { ...event, data: { previous_status, changes } } satisfies ReservationEvent

const rotation = { overlap_seconds: 86_400 } satisfies RotateCallbackSecret

const sentHeader = (name: string, description: string, example: string) => ({
  name,
  in: 'header' as const,
  required: true,
  description,
  schema: { type: 'string' },
  example,
})

const sentHeaders = [
  sentHeader(
    'Service-Signature',
    'Hex HMAC-SHA256 over `event_id + "." + t + "." + body`; the key is the base64-decoded text after `whsec_`. While a secret is rotated there is a second `v1`. Reject a `t` that is more than 300 seconds off.',
    't=1795169730,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd',
  ),
  sentHeader('Service-Event-Id', 'The `event_id`.', event.event_id),
  sentHeader('Service-Event-Type', 'The `type`.', event.type),
  sentHeader('Service-Delivery-Attempt', 'Number of the attempt, from 1.', '1'),
  sentHeader('webhook-id', 'The event id under its Standard Webhooks name.', event.event_id),
  sentHeader('webhook-timestamp', 'The same value as `t`.', '1795169730'),
  sentHeader(
    'webhook-signature',
    'The same MAC in base64, as Standard Webhooks writes it; stock libraries verify it.',
    'v1,Uleoaefs6+2jKv+mLNyj+lHK1+d6Dlb/U20M6OEI2L0=',
  ),
]

const sent = (
  [operationId, summary]: readonly [id: string, summary: string],
  type: string,
  value: object,
  { answer = 'Delivered.', more = {} }: { answer?: string; more?: Record<string, Example> } = {},
): { post: Call } => ({
  post: {
    operationId,
    tags: ['Events'],
    summary,
    description: 'Sent to your address; the bytes are the same at every attempt.',
    security: [],
    parameters: sentHeaders,
    requestBody: {
      required: true,
      description: 'Verify the signature over the bytes as received, before parsing them.',
      content: {
        'application/json': { schema: refTo('schemas', type), examples: { sent: { summary, value }, ...more } },
      },
    },
    responses: { '2XX': { description: answer } },
  },
})

const URL_OF_CALLBACK = '{$request.body#/url}'

const one = (status: 200 | 201, description: string, value: object) => ({
  status,
  description,
  type: 'CallbackAnswer',
  examples: { callback: { summary: description, value } },
})

const nothing = { nothing: { summary: 'No fields', value: {} } }

export const callbackCalls: Record<string, CallText> = {
  'PUT /properties/{id}/callback': {
    operationId: 'putCallback',
    tag: 'Events',
    summary: 'Register the callback',
    description:
      'Sends a signed challenge to the address and stores it when the answer is 2xx and JSON with the same `challenge`. The answer to a new callback reveals its `secret`, this once. A later PUT keeps the secret and the waiting events and sends them to the new address. Allow 20 seconds.',
    requests: { write: { summary: 'All events in full', value: write } },
    answers: [one(201, 'Registered. Keep the secret.', { ...callback, secret }), one(200, 'Changed.', callback)],
    callbacks: {
      event: {
        [URL_OF_CALLBACK]: sent(['receiveReservationEvent', 'Receive a reservation event'], 'ReservationEvent', event, {
          more: { thin: { summary: 'With the payload `thin`', value: thinEvent } },
        }),
      },
      challenge: {
        [URL_OF_CALLBACK]: sent(['receiveCallbackChallenge', 'Answer the challenge'], 'CallbackChallenge', challenge, {
          answer: 'JSON with the same `challenge`.',
        }),
      },
      test: {
        [URL_OF_CALLBACK]: sent(['receiveCallbackTest', 'Receive a test event'], 'CallbackTest', testEvent),
      },
    },
    sentTypes: ['ReservationEvent', 'CallbackChallenge', 'CallbackTest'],
    errors: ['callback_unreachable'],
  },
  'GET /properties/{id}/callback': {
    operationId: 'getCallback',
    tag: 'Events',
    summary: 'Get the callback',
    description: 'The callback without its secret.',
    answers: [one(200, 'The callback.', callback)],
    errors: ['not_found'],
  },
  'DELETE /properties/{id}/callback': {
    operationId: 'deleteCallback',
    tag: 'Events',
    summary: 'Delete the callback',
    description: 'Stops deliveries to the callback; events are still recorded in the index.',
    answers: [{ status: 204, description: 'Removed.', type: null, examples: {} }],
    errors: ['not_found'],
  },
  'POST /properties/{id}/callback/test': {
    operationId: 'testCallback',
    tag: 'Events',
    summary: 'Send a test event',
    description: 'Sends a signed `callback.test`, which is not recorded, and answers with its outcome.',
    requests: nothing,
    answers: [
      {
        status: 200,
        description: 'Result of the test.',
        type: 'CallbackTestAnswer',
        examples: { delivered: { summary: 'It was delivered', value: tested } },
      },
    ],
    errors: ['not_found'],
  },
  'POST /properties/{id}/callback/rotate-secret': {
    operationId: 'rotateCallbackSecret',
    tag: 'Events',
    summary: 'Rotate the callback secret',
    description:
      'Both secrets sign until the old one ends: after a day unless `overlap_seconds` says otherwise. There are at most two secrets.',
    requests: { rotation: { summary: 'An overlap of a day', value: rotation } },
    answers: [one(200, 'The callback with its new secret, shown this once.', { ...callback, secret })],
    errors: ['not_found'],
  },
  'POST /properties/{id}/callback/resume': {
    operationId: 'resumeCallback',
    tag: 'Events',
    summary: 'Resume deliveries',
    description:
      'Resumes a callback that the service suspended after five days without a success, or after a 410. Held events are delivered, in order per reservation. Resuming an active callback changes nothing.',
    requests: nothing,
    answers: [one(200, 'The callback, active again.', callback)],
    errors: ['not_found', 'invalid_transition'],
  },
}
