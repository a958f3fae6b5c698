import { bulkRows, bulkValue, OUTBOX_WRITTEN, type Transaction } from '@connectivity/database'
import type { TopicBatch } from './topic-batch.js'

/** A reason without the characters that a text column or a bulk parameter cannot hold. */
export const storableReason = (reason: string): string => reason.replace(/[\0\x1e\x1f]/g, ' ')

/**
 * Stores the batch's dead letters and queues them for `<topic>.dlq` with their original bytes. A message that is read
 * again (offsets reset to the beginning) is not stored twice.
 */
export async function storeDeadLetters(tx: Transaction, batch: TopicBatch): Promise<void> {
  const { topic, partition, deadLetters } = batch
  if (deadLetters.length === 0) return
  tx.afterCommit(OUTBOX_WRITTEN)
  // A bulk parameter cannot tell an empty text from an empty column; hence the space.
  const hex = (bytes: Buffer | null) => (bytes === null ? null : ` ${bytes.toString('hex')}`)
  await tx.query({
    name: 'dead-letters-store',
    text: `WITH stored AS (
             INSERT INTO dead_letter (topic, partition, message_offset, key, value, reason)
             SELECT $1::text, $2::integer, message_offset, decode(trim(key), 'hex'), decode(trim(value), 'hex'), reason
               FROM ${bulkRows(['bigint', 'text', 'text', 'text'], 3)} AS bad (message_offset, key, value, reason)
             ON CONFLICT (topic, partition, message_offset, md5(value)) DO NOTHING
             RETURNING id, message_offset, reason)
           INSERT INTO outbox (topic, headers, dead_letter_id)
           SELECT $1::text || '.dlq', json_build_object('reason', reason, 'source-topic', $1::text,
                    'source-partition', $2::integer::text, 'source-offset', message_offset::text)::text, id
             FROM stored ORDER BY id`,
    values: [
      topic,
      partition,
      bulkValue(deadLetters.map(({ message }) => message.offset.toString())),
      bulkValue(deadLetters.map(({ message }) => hex(message.key))),
      bulkValue(deadLetters.map(({ message }) => hex(message.value))),
      bulkValue(deadLetters.map(({ reason }) => storableReason(reason))),
    ],
  })
}
