import { Injectable } from '@nestjs/common'
import type { ConnectionState } from '@connectivity/contracts/connection-events'
import { ServiceError } from '@connectivity/contracts/errors'
import type { ProductionRequestState, RequestProduction } from '@connectivity/contracts/production'
import { Database } from '@connectivity/database/database'
import type { PageRequest } from '@connectivity/service-kit/operators-page'
import { isId, notFound } from '@connectivity/service-kit/operators-record'
import { type EntityManager, type FindOptionsWhere, MoreThan } from 'typeorm'
import { AuditStore } from '../audit/audit.store.js'
import { lockConnection, moveConnection } from '../connections/connection.store.js'
import type { AuditContext } from '../changes/audit-context.js'
import { newId } from '../../new-id.js'
import type { OperatorTransaction } from '../changes/operator-transaction.store.js'
import { EvidenceStore } from './evidence.store.js'
import { checklistOf, openBefore } from './checklist.js'
import { presentRequest, ProductionRequestEntity } from './production-request.entity.js'

/** Operators' decisions and the resulting state of the request. */
const decisions = { approve: 'approved', reject: 'rejected' } as const satisfies Record<string, ProductionRequestState>
export type Decision = keyof typeof decisions

/** Requests for production: submitted by partners, decided by operators; the connection moves in the same transaction. */
@Injectable()
export class ProductionRequestStore {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditStore,
    private readonly evidence: EvidenceStore,
  ) {}

  /**
   * Submits a request once the first seven items have passed; the connection moves from pilot to certification.
   * @throws ServiceError 409 `already_in_production`, `request_already_open`; 422 `checklist_incomplete`
   */
  async submit({ entities, tx }: OperatorTransaction, body: RequestProduction, correlationId: string) {
    const connection = await lockConnection(entities, body.property_id)
    if (connection.state === 'production') throw alreadyInProduction()
    const open = { connectionId: connection.connectionId, state: 'submitted' as const }
    if (await entities.existsBy(ProductionRequestEntity, open)) throw alreadyOpen()
    await this.checkChecklist({ entities, tx }, connection.connectionId)
    const request = await entities.save(ProductionRequestEntity, {
      ...open,
      requestId: newId('prq'),
      applicationId: connection.applicationId,
      contactName: body.contact.name,
      contactEmail: body.contact.email,
      goLiveOn: body.go_live_on ?? null,
      notes: body.notes ?? null,
      correlationId,
      submittedAt: new Date(),
      decidedAt: null,
      decisionReason: null,
    })
    if (connection.state === 'pilot') await moveConnection(entities, tx, connection, 'certification_pending')
    return request
  }

  /**
   * Approval moves the connection from certification to production, rejection back to pilot.
   * @throws ServiceError 404; 409 `invalid_transition` when it is already decided or the connection's state forbids it
   */
  decide(context: AuditContext, id: string, decision: Decision): Promise<ProductionRequestEntity> {
    return this.audit.change(context, async (entities, tx) => {
      const request = await lockRequest(entities, id)
      const before = presentRequest(request)
      if (request.state !== 'submitted') {
        throw new ServiceError('invalid_transition', `The request is ${request.state} already.`)
      }
      const connection = await lockConnection(entities, request.connectionId)
      if (!isSettled(connection.state, decision)) {
        await moveConnection(entities, tx, connection, decision === 'approve' ? 'production' : 'back_to_pilot')
      }
      Object.assign(request, { state: decisions[decision], decidedAt: new Date(), decisionReason: context.reason })
      await entities.save(request)
      return { result: request, subject: id, before, after: presentRequest(request) }
    })
  }

  /** The newest request of the connection, null when there is none. */
  async newest(on: EntityManager | null, connectionId: string): Promise<ProductionRequestEntity | null> {
    const manager = on ?? (await this.database.dataSource()).manager
    return manager.findOne(ProductionRequestEntity, { where: { connectionId }, order: { requestId: 'DESC' } })
  }

  /** Oldest first, one more than the page's limit. */
  async list(
    filter: FindOptionsWhere<ProductionRequestEntity>,
    { limit, after }: PageRequest,
  ): Promise<ProductionRequestEntity[]> {
    const { manager } = await this.database.dataSource()
    const where = { ...filter, ...(after === null ? {} : { requestId: MoreThan(after) }) }
    return manager.find(ProductionRequestEntity, { where, order: { requestId: 'ASC' }, take: limit + 1 })
  }

  private async checkChecklist({ tx }: OperatorTransaction, connectionId: string): Promise<void> {
    const open = openBefore(checklistOf(await this.evidence.of(tx, connectionId), null))
    if (open.length === 0) return
    throw new ServiceError(
      'checklist_incomplete',
      `The pilot checklist has ${open.length} open item${open.length === 1 ? '' : 's'}; GET /production/request shows them.`,
      { details: open.map(({ code, next_step }) => ({ pointer: '', code, message: next_step! })) },
    )
  }
}

/** Whether an operator has already moved the connection, so that the decision only closes the request. */
const isSettled = (state: ConnectionState, decision: Decision): boolean =>
  decision === 'approve' ? state === 'production' : ['pilot', 'production', 'closed'].includes(state)

const alreadyInProduction = (): ServiceError =>
  new ServiceError(
    'already_in_production',
    'This property connection is in production already; there is nothing to request.',
  )

const alreadyOpen = (): ServiceError =>
  new ServiceError(
    'request_already_open',
    'A request for this property connection is being decided; GET /production/request shows its state.',
  )

async function lockRequest(entities: EntityManager, id: string): Promise<ProductionRequestEntity> {
  const where = { requestId: id }
  const request = isId(id)
    ? await entities.findOne(ProductionRequestEntity, { where, lock: { mode: 'pessimistic_write' } })
    : null
  if (!request) throw notFound('production request')
  return request
}
