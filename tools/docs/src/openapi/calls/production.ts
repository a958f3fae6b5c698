import { type ChecklistItem, checklistCodes, type ProductionRequestAnswer } from '@connectivity/contracts/production'
import type { RequestProduction } from '@connectivity/contracts/production'
import type { CallText } from '../call-text.js'
import { correlation_id, property_id, schema_version } from './samples.js'

const passed = (code: ChecklistItem['code'], index: number): ChecklistItem => ({
  item: index + 1,
  code,
  state: 'passed',
  observed_at: `2026-11-20T10:1${index}:00.000Z`,
  evidence_correlation_id: correlation_id,
  next_step: null,
})

const open = (item: ChecklistItem, next_step: string): ChecklistItem => ({
  ...item,
  state: 'open',
  observed_at: null,
  evidence_correlation_id: null,
  next_step,
})

const all = checklistCodes.map(passed)

const submitted = {
  schema_version,
  request_id: 'prq_01jd3v8m6qf0y4b7t2x9k5n1ha',
  property_id,
  state: 'submitted',
  submitted_at: '2026-11-20T10:20:00.000Z',
  decided_at: null,
  decision_reason: null,
  checklist: all,
} satisfies ProductionRequestAnswer

const watched = {
  ...submitted,
  request_id: null,
  state: 'not_requested',
  submitted_at: null,
  checklist: [
    ...all.slice(0, 6),
    open(
      all[6]!,
      'Call GET /reservations with a property_id that is not yours and see it refused with 403 property_forbidden.',
    ),
    open(all[7]!, 'Send POST /production/request once the other seven items have passed.'),
  ],
} satisfies ProductionRequestAnswer

const request = {
  property_id,
  contact: { name: 'Ada Lovelace', email: 'ada@example.com' },
  go_live_on: '2026-12-01',
  notes: 'We would like to start with one hotel.',
} satisfies RequestProduction

export const productionCalls: Record<string, CallText> = {
  'GET /production/request': {
    operationId: 'watchProductionRequest',
    tag: 'Production',
    summary: 'Get the production request and its checklist',
    description:
      'Returns the newest production request and the checklist; the service grades each item from your traffic. `next_step` says in one sentence what to do for an open item.',
    answers: [
      {
        status: 200,
        description: 'The checklist, requested or not.',
        type: 'ProductionRequestAnswer',
        examples: {
          pilot: { summary: 'Two items are open', value: watched },
          submitted: { summary: 'Waiting for the decision', value: submitted },
        },
      },
    ],
  },
  'POST /production/request': {
    operationId: 'requestProduction',
    tag: 'Production',
    summary: 'Request production',
    description:
      'Asks operations to take the connection live, once the first seven items have passed; the eighth passes with it. After a rejection it can be sent again.',
    requests: { request: { summary: 'A request', value: request } },
    answers: [
      {
        status: 202,
        description: 'Submitted; operations decide.',
        type: 'ProductionRequestAnswer',
        examples: { submitted: { summary: 'Submitted', value: submitted } },
      },
    ],
    errors: ['checklist_incomplete', 'request_already_open', 'already_in_production'],
  },
}
