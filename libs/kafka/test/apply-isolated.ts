import type { Database, FencedPartition } from '@connectivity/database'
import type { BatchHandler } from '../src/consuming/batch-transaction.js'
import { isolating } from '../src/consuming/isolating.js'
import type { ConsumedMessage, DeadLetter } from '../src/consuming/topic-batch.js'

/**
 * Applies messages as the consumer does, once: those that cannot be processed become dead letters.
 * @param letters receives them, even if another part of the batch fails
 */
export async function applyIsolated(
  database: Database,
  fence: FencedPartition,
  messages: readonly ConsumedMessage[],
  handle: BatchHandler,
  letters: DeadLetter[] = [],
): Promise<readonly DeadLetter[]> {
  await isolating(messages, {
    database,
    fence,
    handle,
    onProgress: () => Promise.resolve(),
    onDeadLetters: (some) => letters.push(...some),
  })
  return letters
}
