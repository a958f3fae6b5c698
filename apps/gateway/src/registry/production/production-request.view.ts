import type { ChecklistCode } from '@connectivity/contracts/production'
import { checklistOf, type Observation, requestedBy } from './checklist.js'
import type { ProductionRequestEntity } from './production-request.entity.js'

/** The request as operators see it. */
export const presentRequest = (request: ProductionRequestEntity): object => ({
  request_id: request.requestId,
  property_id: request.connectionId,
  application_id: request.applicationId,
  state: request.state,
  contact: { name: request.contactName, email: request.contactEmail },
  go_live_on: request.goLiveOn,
  notes: request.notes,
  submitted_at: request.submittedAt,
  decided_at: request.decidedAt,
  decision_reason: request.decisionReason,
})

/** The request as operators decide on it, with the pilot's checklist and the observations. */
export const presentReviewed = (
  request: ProductionRequestEntity,
  observed: ReadonlyMap<ChecklistCode, Observation>,
): object => ({ ...presentRequest(request), checklist: checklistOf(observed, requestedBy(request)) })
