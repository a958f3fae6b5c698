import type { CallbackDiagnosis, CallbackDiagnosisAnswer } from '@connectivity/contracts/callbacks'
import type { CallText } from '../call-text.js'
import { event } from './events.js'
import { property_id, schema_version } from './samples.js'

const received = {
  event_id: event.event_id,
  headers: {
    'Service-Event-Id': event.event_id,
    'Service-Signature': 't=1795169730,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd',
  },
  body_base64: 'eyJzY2hlbWFfdmVyc2lvbiI6ICIxLjAuMCIsICJldmVudF9pZCI6ICJldnRfMDEifQ==',
} satisfies CallbackDiagnosis

const diagnosis = {
  schema_version,
  property_id,
  event_id: event.event_id,
  verdict: 'body_changed',
  likely_cause: 'json_reserialised',
  first_difference: { offset: 18, expected: 'IjEuMC4wIiwiZXZlbnRfaQ==', received: 'ICIxLjAuMCIsICJldmVudA==' },
  message:
    'The body is the same JSON written in another way; verify the bytes as they arrive, before anything parses them.',
} satisfies CallbackDiagnosisAnswer

export const diagnosisCalls: Record<string, CallText> = {
  'POST /properties/{id}/callback/diagnose': {
    operationId: 'diagnoseCallback',
    tag: 'Events',
    summary: 'Diagnose a callback',
    description:
      'Compares headers and body as your receiver got them with what was sent for the event. `verdict` is the first that applies of `header_missing`, `header_malformed`, `body_changed`, `wrong_secret`, `stale_timestamp`, `valid`. No secret is revealed. The answer is kept with its `Idempotency-Key` like any other: a new question needs a new key.',
    requests: { received: { summary: 'As received', value: received } },
    answers: [
      {
        status: 200,
        description: 'The diagnosis.',
        type: 'CallbackDiagnosisAnswer',
        examples: { changed: { summary: 'The body was written again', value: diagnosis } },
      },
    ],
    errors: ['not_found'],
  },
}
