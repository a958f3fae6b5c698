import { AUDIT_ENTRY_HEADER } from '@connectivity/contracts/identity'
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
import { headerValues } from '@connectivity/service-kit/raw-headers'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { v7 } from 'uuid'
import type { Database, Transaction } from './database.js'
import { type Answer, answerOnce, type BodySeal, fingerprintOf } from './idempotency.js'
import { enqueue } from './outbox.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Set by the gateway, which keeps the audit: writes an entry there in the change's transaction. */
    keepOperatorChange?: (tx: Transaction, entry: OperatorChangeEntry) => void
  }
}

const topic: Topic = 'connectivity.operator-changes.v1'

/** An operator's action and its subject, as the audit shows them: never a secret. `before` is null for a creation. */
type RecordedChange = Pick<OperatorChangeEntry, 'subject' | 'reason' | 'before' | 'after'> & { action: OperatorAction }

/** Writes the change's audit entry in its transaction. A change that finds everything as requested writes none. */
export type RecordChange = (change: RecordedChange) => void

/**
 * Runs an operator's change with its audit entry in one transaction. With an Idempotency-Key, which is optional for
 * operators, the change is made once and repetitions get the same answer (limits as `answerOnce`). The operator takes
 * the place of the application in a partner's request.
 * @param work does everything through `tx`; a ServiceError undoes it all
 * @param seal for answers that reveal a secret
 * @throws ServiceError 400 for a malformed key, 409 and 422 as `answerOnce`; or the error of `work`
 */
export async function operatorChange(
  database: Pick<Database, 'transaction'>,
  request: FastifyRequest,
  work: (tx: Transaction, record: RecordChange) => Promise<Answer>,
  seal?: BodySeal,
): Promise<Answer & { replayed: boolean }> {
  let entryId: string | null = null
  const recorded = (tx: Transaction) =>
    work(tx, (change) => {
      entryId = recordInAudit(tx, request, change)
    })
  const key = readOptionalIdempotencyKey(headerValues(request.raw.rawHeaders, IDEMPOTENCY_KEY))
  const answer =
    key === null
      ? { ...(await database.transaction(recorded)), replayed: false }
      : await answerOnce(database, identified(request, key), recorded, seal)
  return entryId === null || answer.status >= 400
    ? answer
    : { ...answer, headers: { ...answer.headers, [AUDIT_ENTRY_HEADER]: entryId } }
}

function identified(request: FastifyRequest, key: string) {
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
 * Writes an audit entry in a transaction, for reads only. Use `operatorChange` for a change.
 * @returns the entry's id
 */
export function recordInAudit(
  tx: Transaction,
  { server, operatorIdentity }: FastifyRequest,
  change: RecordedChange,
): string {
  const { subject: actor, correlation_id } = operatorIdentity
  const id = `aud_${v7().replaceAll('-', '')}`
  const entry: OperatorChangeEntry = { id, at: new Date().toISOString(), actor, ...change, correlation_id }
  if (server.keepOperatorChange) server.keepOperatorChange(tx, entry)
  else send(tx, entry, server.proveOperatorChange)
  return id
}

/** The topic carries entries of every service: the proof says which one made this. */
function send(tx: Transaction, entry: OperatorChangeEntry, prove: FastifyInstance['proveOperatorChange']): void {
  const { id, subject, at: time } = entry
  const data = JSON.stringify({ ...entry, ...prove(entry) })
  const envelope = { id, source: '/operators', type: operatorChangeEventType, subject, time }
  enqueue(tx, [{ topic, key: subject, value: cloudEventText(envelope, data) }])
}
