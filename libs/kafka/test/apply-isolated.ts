import type { Database } from '@connectivity/database/database'
import type { FencedPartition } from '@connectivity/database/offset-fence'
import type { BatchHandler } from '../src/batch-transaction.js'
import { isolating } from '../src/isolating.js'
import type { ConsumedMessage, DeadLetter } from '../src/topic-batch.js'

/** Applies messages as the consumer does, once: those that cannot be processed become dead letters. */
export const applyIsolated = (
  database: Database,
  fence: FencedPartition,
  messages: readonly ConsumedMessage[],
  handle: BatchHandler,
): Promise<readonly DeadLetter[]> => isolating(messages, { database, fence, handle })
