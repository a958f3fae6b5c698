import { cloudEventText } from '@connectivity/contracts/cloud-event'
import { type AuditEntry, operatorChangeEventType } from '@connectivity/contracts/operator-changes'
import type { Topic } from '@connectivity/contracts/topics'
import { enqueue, type Transaction } from '@connectivity/database'
import type {} from '@connectivity/service-kit/identity'
import { newId } from '@connectivity/service-kit/text'
import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyInstance {
    /** Set by the gateway, which keeps the audit: writes an entry in the change's transaction. */
    keepOperatorChange?: (tx: Transaction, entry: AuditEntry) => void
  }
}

const topic: Topic = 'connectivity.operator-changes.v1'

/**
 * Writes an audit entry in a transaction.
 * @returns the message with the entry; null in the gateway, which keeps the audit
 */
export function keepAuditEntry(
  tx: Transaction,
  server: FastifyInstance,
  change: Omit<AuditEntry, 'id' | 'at'>,
): string | null {
  const entry: AuditEntry = { id: newId('aud'), at: new Date().toISOString(), ...change }
  if (!server.keepOperatorChange) return send(tx, entry, server.proveOperatorChange)
  server.keepOperatorChange(tx, entry)
  return null
}

/** Sends an entry to the topic that all services share; the proof shows which service sent it. */
function send(tx: Transaction, entry: AuditEntry, prove: FastifyInstance['proveOperatorChange']): string {
  const { id, subject, at: time } = entry
  const data = JSON.stringify({ ...entry, ...prove(entry) })
  const value = cloudEventText({ id, source: '/operators', type: operatorChangeEventType, subject, time }, data)
  enqueue(tx, [{ topic, key: subject, value }])
  return value
}
