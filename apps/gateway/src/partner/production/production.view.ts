import { timestampOf } from '@connectivity/contracts/time'
import type { ProductionRequestEntity } from '../../registry/production/production-request.entity.js'

/** The newest request of a connection as its partner sees it. */
export const presentRequested = (request: ProductionRequestEntity) => ({
  request_id: request.requestId,
  property_id: request.connectionId,
  state: request.state,
  submitted_at: request.submittedAt.toISOString(),
  decided_at: timestampOf(request.decidedAt),
  decision_reason: request.decisionReason,
})

/** The same before the first request. */
export const presentNotRequested = (connectionId: string) => ({
  request_id: null,
  property_id: connectionId,
  state: 'not_requested' as const,
  submitted_at: null,
  decided_at: null,
  decision_reason: null,
})
