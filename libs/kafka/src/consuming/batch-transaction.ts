import { ContractViolation } from '@connectivity/contracts/contract-violation'
import { BehindFence, type Database, type FencedPartition, lockFence, passFence } from '@connectivity/database'
import { loggedError } from '@connectivity/service-kit/logging'
import { storeDeadLetters } from './dead-letter-intake.store.js'
import { type ConsumedMessage, type DeadLetter, TopicBatch } from './topic-batch.js'

/** Applies a batch, through the batch's transaction only. */
export type BatchHandler = (batch: TopicBatch) => Promise<void>

/**
 * SQLSTATE classes caused by the data of a message (data exception, integrity violation, limit exceeded). Any other
 * database error is transient and is retried for as long as it lasts.
 */
const DATA_ERROR = /^(22|23|54)/
const CHECK_VIOLATION = '23514'

const messageFaults = [ContractViolation, TypeError, RangeError, SyntaxError]

/** Whether the message itself causes the error, so that every retry fails. */
export function isMessageFault(error: unknown): boolean {
  const { code, constraint } = (error ?? {}) as { code?: unknown; constraint?: unknown }
  // A row without a partition has the code of a violated check, but violates no named one.
  if (code === CHECK_VIOLATION && constraint === undefined) return false
  if (typeof code === 'string') return DATA_ERROR.test(code)
  return messageFaults.some((fault) => error instanceof fault)
}

/** Error: a position beyond the end of its log, which was recreated or has lost messages. */
export class BeyondLogEnd extends Error {
  override name = 'BeyondLogEnd'
}

/** Reason of a message's fault for operators; never contains the values that PostgreSQL and parsers quote. */
export const reasonOf = (error: unknown): string => `cannot be processed: ${loggedError(error).message}`

/**
 * Lets messages of one partition take effect exactly once: the position, the handler's writes, the outbox and the dead
 * letters commit together or not at all. Skips messages that already took effect: a second consumer of the partition
 * waits at the fence and then finds itself behind. A handler may be called for messages that already took effect, in a
 * transaction that fails.
 * @param end of the log when the messages were fetched
 * @returns the messages set aside
 * @throws the handler's or the database's error, with nothing written
 * @throws BeyondLogEnd when the position is beyond `end`
 */
export async function applyBatch(
  database: Database,
  fence: FencedPartition,
  messages: readonly ConsumedMessage[],
  handle: BatchHandler,
  end?: bigint,
): Promise<readonly DeadLetter[]> {
  const [first, last] = [messages[0], messages.at(-1)]
  if (!first || !last) return []
  try {
    return await database.transaction(async (tx) => {
      // The handler's first statements leave with this one.
      passFence(tx, fence, first.offset, last.offset + 1n)
      const batch = new TopicBatch(fence.topic, fence.partition, messages, tx)
      await handle(batch)
      await storeDeadLetters(tx, batch)
      return batch.deadLetters
    })
  } catch (error) {
    if (!(error instanceof BehindFence)) throw error
    const next = await database.transaction((tx) => lockFence(tx, fence))
    if (end !== undefined && next > end) throw new BeyondLogEnd('the position is beyond the end of the log')
    const rest = messages.filter(({ offset }) => offset >= next)
    return applyBatch(database, fence, rest, handle, end)
  }
}
