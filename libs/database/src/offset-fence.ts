import { mustHold } from './must-hold.js'
import type { Queryable, Transaction } from './transaction.js'

/** A partition as one consumer group reads it. */
export interface FencedPartition {
  group: string
  topic: string
  partition: number
}

/** Error: the partition's position is beyond the given offset, so messages from there on have already taken effect. */
export class BehindFence extends Error {
  override name = 'BehindFence'
}

/**
 * Moves the position of a partition from at most `first` to `next`, and so locks it until the transaction ends: a
 * second consumer of the same partition waits. Does not wait for the answer: the transaction fails with everything in
 * it when the position is beyond `first`.
 * @param next offset after the last message that takes effect in this transaction
 * @throws BehindFence from the transaction
 */
export function passFence(tx: Transaction, fence: FencedPartition, first: bigint, next: bigint): void {
  const statement = {
    name: 'fence-pass',
    text: `INSERT INTO consumed_offset VALUES ($1, $2, $3, $5)
           ON CONFLICT (consumer_group, topic, partition) DO UPDATE SET next_offset = excluded.next_offset
           RETURNING ${mustHold('coalesce(old.next_offset, 0) <= $4')}`,
    values: [fence.group, fence.topic, fence.partition, first.toString(), next.toString()],
  }
  tx.defer(statement, { unmet: () => new BehindFence('the partition has moved on') })
}

/**
 * Locks the position of a partition until the transaction ends.
 * @returns the first offset that has not taken effect yet
 * @throws 55P03 when another member holds it for longer than the lock timeout
 */
export async function lockFence(tx: Transaction, { group, topic, partition }: FencedPartition): Promise<bigint> {
  const { rows } = await tx.query<{ next_offset: string }>({
    name: 'fence-lock',
    text: `INSERT INTO consumed_offset AS fence VALUES ($1, $2, $3, 0)
           ON CONFLICT (consumer_group, topic, partition) DO UPDATE SET next_offset = fence.next_offset
           RETURNING next_offset`,
    values: [group, topic, partition],
  })
  return BigInt(rows[0]!.next_offset)
}

/** Offsets of one partition without messages that take effect: tombstones and records that control transactions. */
export interface EmptyOffsets {
  first: bigint
  last: bigint
}

/** Moves the position of a partition over offsets without messages, if everything before them has taken effect. */
export async function skipOffsets(on: Queryable, fence: FencedPartition, { first, last }: EmptyOffsets): Promise<void> {
  await on.query({
    name: 'fence-skip',
    text: `INSERT INTO consumed_offset AS fence VALUES ($1, $2, $3, CASE WHEN $4::bigint = 0 THEN $5::bigint ELSE 0 END)
           ON CONFLICT (consumer_group, topic, partition) DO UPDATE SET next_offset = $5
            WHERE fence.next_offset BETWEEN $4 AND $5 - 1`,
    values: [fence.group, fence.topic, fence.partition, first.toString(), (last + 1n).toString()],
  })
}

/** Deletes the position of a partition if it is still the given one. */
export async function forgetFence(
  tx: Transaction,
  { group, topic, partition }: FencedPartition,
  nextOffset: bigint,
): Promise<void> {
  await tx.query(
    'DELETE FROM consumed_offset WHERE consumer_group = $1 AND topic = $2 AND partition = $3 AND next_offset = $4',
    [group, topic, partition, nextOffset.toString()],
  )
}

/** Positions of a group, to which its consumer seeks whenever partitions are assigned to it. */
export async function readFences(on: Queryable, group: string): Promise<(FencedPartition & { nextOffset: string })[]> {
  const { rows } = await on.query<{ topic: string; partition: number; next_offset: string }>(
    'SELECT topic, partition, next_offset FROM consumed_offset WHERE consumer_group = $1',
    [group],
  )
  return rows.map(({ topic, partition, next_offset }) => ({ group, topic, partition, nextOffset: next_offset }))
}
