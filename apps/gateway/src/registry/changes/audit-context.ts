import type { FastifyRequest } from 'fastify'
import type { OperatorTransaction } from './operator-transaction.store.js'

/** Who does what and why: the head of an audit entry. */
export interface AuditContext {
  actor: string
  action: string
  reason: string
  correlationId: string
  /** The transaction that the change belongs to; absent when it has one of its own. */
  within?: OperatorTransaction
}

const open = new WeakMap<FastifyRequest, OperatorTransaction>()

/** Has everything that the request changes happen in this transaction. */
export const openFor = (request: FastifyRequest, transaction: OperatorTransaction): void =>
  void open.set(request, transaction)

/** The head of the audit entry for what the request does, in its open transaction where it has one. */
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
