import { Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import type { ChecklistItem, RequestProduction } from '@connectivity/contracts/production'
import type { Transaction } from '@connectivity/database'
import { newId } from '@connectivity/service-kit/text'
import { ConnectionMoves } from '../connections/connection-moves.service.js'
import { checklistOf, openBefore } from './checklist.js'
import { EvidenceStore } from './evidence.store.js'
import type { ProductionRequestEntity } from './production-request.entity.js'
import { ProductionRequestStore } from './production-request.store.js'

/** Takes partners' requests to go live. */
@Injectable()
export class RequestProductionService {
  constructor(
    private readonly requests: ProductionRequestStore,
    private readonly moves: ConnectionMoves,
    private readonly evidence: EvidenceStore,
  ) {}

  /**
   * Submits a request once the first seven items have passed; the connection moves from pilot to certification.
   * @throws ServiceError 409 `already_in_production`, `request_already_open`; 422 `checklist_incomplete`
   */
  async submit(tx: Transaction, body: RequestProduction, correlationId: string): Promise<ProductionRequestEntity> {
    const connection = await this.moves.lock(tx, body.property_id)
    const { connectionId, applicationId, state } = connection
    if (state === 'production') throw alreadyInProduction()
    if (await this.requests.hasOpen(tx, connectionId)) throw alreadyOpen()
    await this.checkChecklist(tx, connectionId)
    const request: ProductionRequestEntity = {
      requestId: newId('prq'),
      connectionId,
      applicationId,
      state: 'submitted',
      contactName: body.contact.name,
      contactEmail: body.contact.email,
      goLiveOn: body.go_live_on ?? null,
      notes: body.notes ?? null,
      correlationId,
      submittedAt: new Date(),
      decidedAt: null,
      decisionReason: null,
    }
    await this.requests.insert(tx, request)
    if (state === 'pilot') await this.moves.moveLocked(tx, connection, 'certification_pending')
    return request
  }

  private async checkChecklist(tx: Transaction, connectionId: string): Promise<void> {
    const open = openBefore(checklistOf(await this.evidence.of(tx, connectionId), null))
    if (open.length > 0) throw checklistIncomplete(open)
  }
}

/** 422 with each open item. */
export const checklistIncomplete = (open: readonly ChecklistItem[]): ServiceError =>
  new ServiceError(
    'checklist_incomplete',
    `The pilot checklist has ${open.length} open item${open.length === 1 ? '' : 's'}; GET /production/request shows them.`,
    { details: open.map(({ code, next_step }) => ({ pointer: '', code, message: next_step! })) },
  )

/** 409: there is nothing to request. */
export const alreadyInProduction = (): ServiceError =>
  new ServiceError(
    'already_in_production',
    'This property connection is in production already; there is nothing to request.',
  )

/** 409: a request for the connection is being decided. */
export const alreadyOpen = (): ServiceError =>
  new ServiceError(
    'request_already_open',
    'A request for this property connection is being decided; GET /production/request shows its state.',
  )
