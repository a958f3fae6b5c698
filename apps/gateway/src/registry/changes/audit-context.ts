import type { FastifyRequest } from 'fastify'
import type { OperatorTransaction } from './operator-transaction.store.js'

/** Actor, action and reason: the head of an audit entry. */
export interface AuditContext {
  actor: string
  action: string
  reason: string
  correlationId: string
  /** The transaction that the change joins; absent when the change opens its own. */
  within?: OperatorTransaction
}

const open = new WeakMap<FastifyRequest, OperatorTransaction>()

/** Makes all changes of the request run in this transaction. */
export const openFor = (request: FastifyRequest, transaction: OperatorTransaction): void =>
  void open.set(request, transaction)

/** The head of the audit entry for the request's change, with the request's open transaction, if any. */
export function auditContextOf(request: FastifyRequest, action: string, { reason }: { reason: string }): AuditContext {
  const within = open.get(request)
  return {
    actor: request.operator.subject,
    action,
    reason,
    correlationId: request.id,
    ...(within ? { within } : {}),
  }
}
