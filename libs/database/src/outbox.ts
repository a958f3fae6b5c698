import { bulkRows, bulkValue } from './bulk.js'
import { markOutboxWritten, type Transaction } from './database.js'

/** A message to be published after the transaction commits. Order is kept per topic and key, by the order of insertion. */
export interface OutboxMessage {
  topic: string
  key: string
  /** The message's JSON text. */
  value: string
}

/** Table of a service's messages on their way to Kafka; the relay deletes a row once the broker has acknowledged it. */
export const outboxTable = `
  CREATE TABLE outbox (
    id bigserial PRIMARY KEY,
    topic text NOT NULL,
    key text,
    value text,
    headers text,
    dead_letter_id bigint
  ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000)`

/**
 * Writes messages in the transaction that makes them true. Call it after the rows that decide their order are locked:
 * ids are drawn here, and the relay publishes in id order.
 */
export async function enqueue(tx: Transaction, messages: readonly OutboxMessage[]): Promise<void> {
  if (messages.length === 0) return
  markOutboxWritten(tx)
  await tx.query({
    name: 'outbox-enqueue',
    text: `INSERT INTO outbox (topic, key, value) SELECT * FROM ${bulkRows(['text', 'text', 'text'])}`,
    values: [
      bulkValue(messages.map((message) => message.topic)),
      bulkValue(messages.map((message) => message.key)),
      bulkValue(messages.map((message) => message.value)),
    ],
  })
}
