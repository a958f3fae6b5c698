import { currentTraceparent, TRACEPARENT_HEADER } from '@connectivity/service-kit/tracing'
import { bulkRows, bulkValue } from './bulk.js'
import { OUTBOX_WRITTEN } from './commit-signals.js'
import type { Transaction } from './transaction.js'

/** A message to be published after the transaction commits. Order of insertion is kept per topic and key. */
export interface OutboxMessage {
  topic: string
  key: string
  /** The message's JSON text. */
  value: string
  /** Trace of the message, if it is not the one of the request being answered. */
  traceparent?: string | null
}

/**
 * Writes messages in the transaction whose changes they report. Call it after locking the rows that decide their order:
 * ids are drawn here, and the relay publishes in id order. Sent along with the next statement.
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
      bulkValue(messages.map(({ traceparent }) => headersText(traceparent ?? trace))),
    ],
  })
}

/** JSON of the headers, null when there are none. */
const headersText = (trace: string | null): string | null =>
  trace === null ? null : JSON.stringify({ [TRACEPARENT_HEADER]: trace })
