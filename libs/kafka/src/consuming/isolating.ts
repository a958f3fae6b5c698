import type { Database, FencedPartition } from '@connectivity/database'
import { applyBatch, type BatchHandler, isMessageFault, reasonOf } from './batch-transaction.js'
import type { ConsumedMessage, DeadLetter } from './topic-batch.js'

/** How messages of a partition are applied. */
interface PartitionWork {
  database: Database
  fence: FencedPartition
  handle: BatchHandler
  /** End of the log when the messages were fetched. */
  end?: bigint
  /** Called between transactions, to report to the group that this member is alive. */
  onProgress: () => Promise<void>
  /** Called after each commit with the messages that it has set aside. */
  onDeadLetters: (letters: readonly DeadLetter[]) => void
}

/**
 * Applies messages; if the content of one makes the handler fail, finds it by halving the batch and sets it aside: one
 * bad message never stops a partition. A single message is tried twice, in case the fault was not its own.
 * @throws transient errors (database unavailable, lock timeout, serialisation): try again
 * @throws BeyondLogEnd when the position is beyond `end`
 */
export async function isolating(
  messages: readonly ConsumedMessage[],
  work: PartitionWork,
  isSecondTry = false,
): Promise<void> {
  const { database, fence, handle, end, onProgress, onDeadLetters } = work
  try {
    onDeadLetters(await applyBatch(database, fence, messages, handle, end))
  } catch (error) {
    if (!isMessageFault(error)) throw error
    await onProgress()
    if (messages.length > 1) {
      const middle = messages.length >> 1
      await isolating(messages.slice(0, middle), work)
      return isolating(messages.slice(middle), work)
    }
    if (!isSecondTry) return isolating(messages, work, true)
    const reason = reasonOf(error)
    const setAside: BatchHandler = async (batch) => {
      for (const message of batch.messages) batch.deadLetter(message, reason)
    }
    onDeadLetters(await applyBatch(database, fence, messages, setAside, end))
  }
}
