import type { Database, FencedPartition } from '@connectivity/database'
import type { BatchHandler } from '../src/consuming/batch-transaction.js'
import { isolating } from '../src/consuming/isolating.js'
import type { ConsumedMessage, DeadLetter } from '../src/consuming/topic-batch.js'

/** Applies messages as the consumer does, once: those that cannot be processed become dead letters. */
export const applyIsolated = (
  database: Database,
  fence: FencedPartition,
  messages: readonly ConsumedMessage[],
  handle: BatchHandler,
): Promise<readonly DeadLetter[]> => isolating(messages, { database, fence, handle })
