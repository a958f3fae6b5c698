import { currentTraceparent, TRACEPARENT_HEADER } from '@connectivity/service-kit/trace-context'
import { bulkRows, bulkValue } from './bulk.js'
import { OUTBOX_WRITTEN } from './commit-signals.js'
import type { Transaction } from './transaction.js'

/** A message to be published after the transaction commits. Order of insertion is kept per topic and key. */
export interface OutboxMessage {
  topic: string
  key: string
  /** The message's JSON text. */
  value: string
  headers?: Record<string, string>
  /** Trace of the message, if it is not the one of the request being answered. */
  traceparent?: string | null
}

/** Column for the reason why a message was parked, with its migration. */
export const parkedReasons = [
  'ALTER TABLE outbox ADD COLUMN parked_reason text',
  'CREATE INDEX outbox_parked ON outbox (topic) WHERE parked_at IS NOT NULL',
]

/** List it with the migrations of every service that publishes. */
export class OutboxParkedReason1795700000000 {
  readonly name = 'OutboxParkedReason1795700000000'

  async up(runner: { query: (statement: string) => Promise<unknown> }): Promise<void> {
    for (const statement of parkedReasons) await runner.query(statement)
  }

  async down(runner: { query: (statement: string) => Promise<unknown> }): Promise<void> {
    await runner.query('DROP INDEX outbox_parked')
    await runner.query('ALTER TABLE outbox DROP COLUMN parked_reason')
  }
}

/**
 * Writes messages in the transaction that makes them true. Call it after locking the rows that decide their order: ids
 * are drawn here, and the relay publishes in id order. Sent along with the next statement.
 */
export function enqueue(tx: Transaction, messages: readonly OutboxMessage[]): void {
  if (messages.length === 0) return
  tx.afterCommit(OUTBOX_WRITTEN)
  const trace = currentTraceparent()
  tx.defer({
    name: 'outbox-enqueue',
    text: `INSERT INTO outbox (topic, key, value, headers) SELECT * FROM ${bulkRows(['text', 'text', 'text', 'text'])}`,
    values: [
      bulkValue(messages.map((message) => message.topic)),
      bulkValue(messages.map((message) => message.key)),
      bulkValue(messages.map((message) => message.value)),
      bulkValue(messages.map(({ headers, traceparent }) => headersText(traceparent ?? trace, headers))),
    ],
  })
}

/** JSON of the headers, null when there are none. */
function headersText(trace: string | null, headers: Record<string, string> | undefined): string | null {
  if (trace === null) return headers === undefined ? null : JSON.stringify(headers)
  return JSON.stringify({ [TRACEPARENT_HEADER]: trace, ...headers })
}
