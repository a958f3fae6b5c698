import {
  type ChecklistCode,
  checklistCodes,
  type ChecklistItem,
  type ProductionRequestState,
} from '@connectivity/contracts/production'

/** Time and request of the first observation of an item. */
export interface Observation {
  observedAt: Date
  correlationId: string
}

/** Instruction to the partner for each item. */
const nextSteps: Record<ChecklistCode, string> = {
  credentials_issued: 'Call GET /properties with your credentials and find this property connection in the answer.',
  mappings_verified:
    'Map every room and rate plan that GET /properties/{id}/mappings lists as unmapped, then read the mappings again.',
  initial_pull_completed:
    'Pull GET /reservations without updated_since and follow next_cursor until has_more is false.',
  new_reservation_seen:
    'Have a test booking made, then poll GET /reservations with updated_since set to your checkpoint until it is there.',
  modification_seen:
    'Have a test booking modified, then poll with updated_since set to your checkpoint until it appears again.',
  cancellation_seen:
    'Have a test booking cancelled, then poll with updated_since set to your checkpoint until it appears as cancelled.',
  foreign_property_denied:
    'Call GET /reservations with a property_id that is not yours and see it refused with 403 property_forbidden.',
  production_requested: 'Send POST /production/request once the other seven items have passed.',
}

const passed = ({ observedAt, correlationId }: Observation) => ({
  state: 'passed' as const,
  observed_at: observedAt.toISOString(),
  evidence_correlation_id: correlationId,
  next_step: null,
})

const open = (code: ChecklistCode) => ({
  state: 'open' as const,
  observed_at: null,
  evidence_correlation_id: null,
  next_step: nextSteps[code],
})

/**
 * The checklist of a connection, all eight items in order.
 * @param requested the open or approved request, null when there is none
 */
export function checklistOf(
  observed: ReadonlyMap<ChecklistCode, Observation>,
  requested: Observation | null,
): ChecklistItem[] {
  return checklistCodes.map((code, index) => {
    const observation = code === 'production_requested' ? requested : observed.get(code)
    return { item: index + 1, code, ...(observation ? passed(observation) : open(code)) }
  })
}

/** Observation of the eighth item; null for a rejected request, which must be sent again. */
export const requestedBy = (request: {
  state: ProductionRequestState
  submittedAt: Date
  correlationId: string
}): Observation | null =>
  request.state === 'rejected' ? null : { observedAt: request.submittedAt, correlationId: request.correlationId }

/** Items that have to pass before production can be requested. */
export const openBefore = (checklist: readonly ChecklistItem[]): ChecklistItem[] =>
  checklist.filter(({ code, state }) => state === 'open' && code !== 'production_requested')
