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

/** Statement that locks the position of the partition `$1` to `$3`, initially 0, and returns a column of it. */
const lockAndReturn = (column: string): string =>
  `INSERT INTO consumed_offset AS fence VALUES ($1, $2, $3, 0)
   ON CONFLICT (consumer_group, topic, partition) DO UPDATE SET next_offset = fence.next_offset
   RETURNING ${column}`

/**
 * Locks the position of a partition as `lockFence` does, without waiting for the answer: the transaction fails with
 * everything in it when the position is beyond `first`.
 * @throws BehindFence from the transaction
 */
export function passFence(tx: Transaction, { group, topic, partition }: FencedPartition, first: bigint): void {
  const statement = {
    name: 'fence-pass',
    text: lockAndReturn(mustHold('next_offset <= $4')),
    values: [group, topic, partition, first.toString()],
  }
  tx.defer(statement, () => new BehindFence('the partition has moved on'))
}

/**
 * Locks the position of a partition until the transaction ends, so that a second consumer of the same partition waits
 * and then finds itself behind.
 * @returns the first offset that has not taken effect yet
 * @throws 55P03 when another member holds it for longer than the lock timeout
 */
export async function lockFence(tx: Transaction, { group, topic, partition }: FencedPartition): Promise<bigint> {
  const { rows } = await tx.query<{ next_offset: string }>({
    name: 'fence-lock',
    text: lockAndReturn('next_offset'),
    values: [group, topic, partition],
  })
  return BigInt(rows[0]!.next_offset)
}

/** Moves the position of a locked partition; sent along with the next statement. */
export function moveFence(tx: Transaction, fence: FencedPartition, nextOffset: bigint): void {
  tx.defer({
    name: 'fence-move',
    text: 'UPDATE consumed_offset SET next_offset = $4 WHERE consumer_group = $1 AND topic = $2 AND partition = $3',
    values: [fence.group, fence.topic, fence.partition, nextOffset.toString()],
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
