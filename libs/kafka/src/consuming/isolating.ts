import type { Database, FencedPartition } from '@connectivity/database'
import { applyBatch, type BatchHandler, isMessageFault, reasonOf } from './batch-transaction.js'
import type { ConsumedMessage, DeadLetter } from './topic-batch.js'

/** How messages of a partition are applied. */
interface PartitionWork {
  database: Database
  fence: FencedPartition
  handle: BatchHandler
  /** Called between transactions, to report to the group that this member is alive. */
  onProgress?: () => Promise<void>
}

/**
 * Applies messages; if the content of one makes the handler fail, finds it by halving the batch and sets it aside: one
 * bad message never stops a partition. A single message is tried twice, in case the fault was not its own.
 * @returns the messages set aside
 * @throws transient errors only (database unavailable, lock timeout, serialisation): try again
 */
export async function isolating(
  messages: readonly ConsumedMessage[],
  work: PartitionWork,
  isSecondTry = false,
): Promise<readonly DeadLetter[]> {
  const { database, fence, handle, onProgress } = work
  try {
    return await applyBatch(database, fence, messages, handle)
  } catch (error) {
    if (!isMessageFault(error)) throw error
    await onProgress?.()
    if (messages.length > 1) {
      const middle = messages.length >> 1
      return [...(await isolating(messages.slice(0, middle), work)), ...(await isolating(messages.slice(middle), work))]
    }
    if (!isSecondTry) return isolating(messages, work, true)
    const reason = reasonOf(error)
    return applyBatch(database, fence, messages, async (batch) => {
      for (const message of batch.messages) batch.deadLetter(message, reason)
    })
  }
}
