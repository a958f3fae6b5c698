import { IDEMPOTENCY_KEY, readOptionalIdempotencyKey } from '@connectivity/contracts/idempotency-key'
import type { AuditEntry, OperatorAction } from '@connectivity/contracts/operator-changes'
import { operatorOf } from '@connectivity/service-kit/identity'
import { bodyHashOf, headerValues } from '@connectivity/service-kit/http'
import type { FastifyRequest } from 'fastify'
import type { Database, Transaction } from '@connectivity/database'
import { keepAuditEntry } from './audit-entry.js'
import type { Answer, IdempotentRequest } from './idempotent-request.js'
import { answerOnce, type BodySeal, fingerprintOf, PLAIN } from './idempotency.js'

/** An operator's action and its subject, as the audit shows them: never a secret. `before` is null for a creation. */
export type AuditedChange = Pick<AuditEntry, 'subject' | 'reason' | 'before' | 'after'> & {
  action: OperatorAction
}

/** Writes the change's audit entry in its transaction. A change without effect writes none. */
export type RecordChange = (change: AuditedChange) => void

/** Answer to an operator's change. */
export interface OperatorAnswer extends Answer {
  replayed: boolean
  /** The message with the audit entry, for the gateway, which stores it before it passes the answer on. */
  auditEntry: string | null
}

/**
 * Runs an operator's change with its audit entry in one transaction. With an Idempotency-Key, which is optional for
 * operators, the change is made once and repetitions get the same answer (limits as `answerOnce`). The operator takes
 * the place of the application in a partner's request.
 * @param work does everything through `tx`; a ServiceError undoes it all
 * @param sealFor for answers that reveal a secret
 * @throws ServiceError 400 for a malformed key, 409 and 422 as `answerOnce`; or the error of `work`
 */
export async function runOperatorChange(
  database: Pick<Database, 'transaction'>,
  request: FastifyRequest,
  work: (tx: Transaction, record: RecordChange) => Promise<Answer>,
  sealFor: (mutation: IdempotentRequest) => BodySeal = () => PLAIN,
): Promise<OperatorAnswer> {
  let auditEntry: string | null = null
  const recorded = (tx: Transaction) =>
    work(tx, (change) => {
      auditEntry = recordInAudit(tx, request, change)
    })
  const key = readOptionalIdempotencyKey(headerValues(request.raw.rawHeaders, IDEMPOTENCY_KEY))
  if (key === null) return { ...(await database.transaction(recorded)), replayed: false, auditEntry }
  const mutation = identified(request, key)
  const answer = await answerOnce(database, mutation, recorded, sealFor(mutation))
  return { ...answer, auditEntry: answer.status < 400 ? auditEntry : null }
}

function identified(request: FastifyRequest, key: string): IdempotentRequest {
  const { subject, path, correlation_id } = operatorOf(request)
  return {
    applicationId: subject,
    method: request.method,
    path,
    key,
    fingerprint: fingerprintOf(request.method, request.url, bodyHashOf(request)),
    correlationId: correlation_id,
  }
}

/**
 * Writes an audit entry in a transaction. `runOperatorChange` calls it for changes; call it directly only for reads.
 * @returns the message with the entry; null in the gateway, which keeps the audit
 */
export function recordInAudit(tx: Transaction, request: FastifyRequest, change: AuditedChange): string | null {
  const { subject: actor, correlation_id } = operatorOf(request)
  return keepAuditEntry(tx, request.server, { actor, ...change, correlation_id })
}
