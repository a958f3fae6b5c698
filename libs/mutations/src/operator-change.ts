import { cloudEventText } from '@connectivity/contracts/cloud-event'
import { IDEMPOTENCY_KEY, readOptionalIdempotencyKey } from '@connectivity/contracts/idempotency-key'
import {
  type OperatorAction,
  type OperatorChangeEntry,
  operatorChangeEventType,
} from '@connectivity/contracts/operator-changes'
import type { Topic } from '@connectivity/contracts/topics'
import { bodyHashOf } from '@connectivity/service-kit/json-body'
import type {} from '@connectivity/service-kit/identity.hook'
import { newId } from '@connectivity/service-kit/ids'
import { headerValues } from '@connectivity/service-kit/raw-headers'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Database } from '@connectivity/database/database'
import type { Transaction } from '@connectivity/database/transaction'
import { type Answer, answerOnce, type BodySeal, fingerprintOf, type IdempotentRequest, PLAIN } from './idempotency.js'
import { enqueue } from '@connectivity/database/outbox'

declare module 'fastify' {
  interface FastifyInstance {
    /** Set by the gateway, which keeps the audit: writes an entry there in the change's transaction. */
    keepOperatorChange?: (tx: Transaction, entry: OperatorChangeEntry) => void
  }
}

const topic: Topic = 'connectivity.operator-changes.v1'

/** An operator's action and its subject, as the audit shows them: never a secret. `before` is null for a creation. */
export type RecordedChange = Pick<OperatorChangeEntry, 'subject' | 'reason' | 'before' | 'after'> & {
  action: OperatorAction
}

/** Writes the change's audit entry in its transaction. A change that finds everything as requested writes none. */
export type RecordChange = (change: RecordedChange) => void

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
export async function operatorChange(
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
  const { subject, path, correlation_id } = request.operatorIdentity
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
 * Writes an audit entry in a transaction. `operatorChange` calls it for changes; call it yourself for reads only.
 * @returns the message with the entry, null where the audit itself is kept
 */
export function recordInAudit(
  tx: Transaction,
  { server, operatorIdentity }: FastifyRequest,
  change: RecordedChange,
): string | null {
  const { subject: actor, correlation_id } = operatorIdentity
  const id = newId('aud')
  const entry: OperatorChangeEntry = { id, at: new Date().toISOString(), actor, ...change, correlation_id }
  if (!server.keepOperatorChange) return send(tx, entry, server.proveOperatorChange)
  server.keepOperatorChange(tx, entry)
  return null
}

/** The topic carries entries of every service: the proof says which one made this. */
function send(tx: Transaction, entry: OperatorChangeEntry, prove: FastifyInstance['proveOperatorChange']): string {
  const { id, subject, at: time } = entry
  const data = JSON.stringify({ ...entry, ...prove(entry) })
  const value = cloudEventText({ id, source: '/operators', type: operatorChangeEventType, subject, time }, data)
  enqueue(tx, [{ topic, key: subject, value }])
  return value
}
