import { Injectable } from '@nestjs/common'
import type { ConnectionState } from '@connectivity/contracts/connection-events'
import { ServiceError } from '@connectivity/contracts/errors'
import type { ProductionRequestState } from '@connectivity/contracts/production'
import { notFound } from '@connectivity/service-kit/operators'
import type { Change } from '../changes/operator-changes.service.js'
import { ConnectionMoves } from '../connections/connection-moves.service.js'
import type { ProductionRequestEntity } from './production-request.entity.js'
import { ProductionRequestStore } from './production-request.store.js'
import { presentRequest } from './production-request.view.js'

/** Operators' decisions and the resulting state of the request. */
const decisions = { approve: 'approved', reject: 'rejected' } as const satisfies Record<string, ProductionRequestState>
/** An operator's decision. */
export type Decision = keyof typeof decisions

/** Decides production requests. */
@Injectable()
export class DecideProductionRequestService {
  constructor(
    private readonly requests: ProductionRequestStore,
    private readonly moves: ConnectionMoves,
  ) {}

  /**
   * Approval moves the connection from certification to production, rejection back to pilot.
   * @throws ServiceError 404; 409 `invalid_transition` when it is already decided or the connection's state forbids it
   */
  async decide({ tx, reason, record }: Change, id: string, decision: Decision): Promise<ProductionRequestEntity> {
    const request = await this.requests.lock(tx, id)
    if (!request) throw notFound('production request')
    const before = presentRequest(request)
    if (request.state !== 'submitted') {
      const message = `The request is ${request.state} already; only submitted ones are approved or rejected. The partner can send a new one.`
      throw new ServiceError('invalid_transition', message)
    }
    const connection = await this.moves.lock(tx, request.connectionId)
    if (!isSettled(connection.state, decision)) {
      await this.moves.moveLocked(tx, connection, decision === 'approve' ? 'production' : 'back_to_pilot')
    }
    Object.assign(request, { state: decisions[decision], decidedAt: new Date(), decisionReason: reason })
    await this.requests.update(tx, request)
    record({ subject: id, before, after: presentRequest(request) })
    return request
  }
}

/** Whether an operator has already moved the connection, so that the decision only closes the request. */
const isSettled = (state: ConnectionState, decision: Decision): boolean =>
  decision === 'approve' ? state === 'production' : ['pilot', 'production', 'closed'].includes(state)
