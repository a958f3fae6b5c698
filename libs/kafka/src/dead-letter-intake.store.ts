import { OUTBOX_WRITTEN } from '@connectivity/database/commit-signals'
import type { Transaction } from '@connectivity/database/transaction'
import { bulkRows, bulkValue } from '@connectivity/database/bulk'
import type { TopicBatch } from './topic-batch.js'

/** The id of a dead letter for operators: a UUIDv7, so that ids of all services sort by time. */
const newPublicId = `'dl_' || lpad(to_hex(floor(extract(epoch FROM now()) * 1000)::bigint), 12, '0')
  || '7' || substr(replace(gen_random_uuid()::text, '-', ''), 14)`

/** Columns and indexes for operators' work on dead letters, with their migration. */
export const deadLetterIds = [
  `ALTER TABLE dead_letter ADD COLUMN public_id text NOT NULL UNIQUE DEFAULT ${newPublicId}`,
  'CREATE INDEX dead_letter_list ON dead_letter (state, public_id)',
  `CREATE INDEX dead_letter_open ON dead_letter (key) WHERE state = 'open'`,
]

/** List it with the migrations of every service that consumes. */
export class DeadLetterIds1795500000000 {
  readonly name = 'DeadLetterIds1795500000000'

  async up(runner: { query: (statement: string) => Promise<unknown> }): Promise<void> {
    for (const statement of deadLetterIds) await runner.query(statement)
  }

  async down(runner: { query: (statement: string) => Promise<unknown> }): Promise<void> {
    await runner.query('DROP INDEX dead_letter_list, dead_letter_open')
    await runner.query('ALTER TABLE dead_letter DROP COLUMN public_id')
  }
}

/** Time at which an operator settled a dead letter, with its migration; null if a release without it did. */
export const deadLetterSettling = [
  'ALTER TABLE dead_letter ADD COLUMN settled_at timestamptz',
  `CREATE INDEX dead_letter_settled ON dead_letter (settled_at) WHERE state <> 'open'`,
  'CREATE INDEX outbox_dead_letter ON outbox (dead_letter_id) WHERE dead_letter_id IS NOT NULL',
]

/** List it with the migrations of every service that consumes. */
export class DeadLetterSettling1795700000001 {
  readonly name = 'DeadLetterSettling1795700000001'

  async up(runner: { query: (statement: string) => Promise<unknown> }): Promise<void> {
    for (const statement of deadLetterSettling) await runner.query(statement)
  }

  async down(runner: { query: (statement: string) => Promise<unknown> }): Promise<void> {
    await runner.query('DROP INDEX dead_letter_settled, outbox_dead_letter')
    await runner.query('ALTER TABLE dead_letter DROP COLUMN settled_at')
  }
}

/** A reason without the characters that a text column or a bulk parameter cannot hold. */
export const storableReason = (reason: string): string => reason.replace(/[\0\x1e\x1f]/g, ' ')

/**
 * Stores the batch's dead letters and queues them for `<topic>.dlq` with their original bytes. A message that is read a
 * second time (offsets reset to the beginning) is not set aside twice.
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
