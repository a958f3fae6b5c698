import { type BatchHandler, isMessageFault, reasonOf } from './batch-transaction.js'
import type { ConsumedMessage, DeadLetter } from './topic-batch.js'

/**
 * Applies messages of one partition in one transaction, by the topic's handler unless another is given.
 * @returns the messages set aside
 */
export type Apply = (messages: readonly ConsumedMessage[], handle?: BatchHandler) => Promise<readonly DeadLetter[]>

/**
 * Applies messages; if the content of one makes the handler fail, finds it by halving the batch and sets it aside: one bad
 * message never stops a partition. A single message is tried twice, in case the fault was not its own.
 * @param onProgress called between transactions, to report to the group that this member is alive
 * @throws transient errors only (database unavailable, lock timeout, serialisation): try again
 */
export async function isolatingFaults(
  apply: Apply,
  messages: readonly ConsumedMessage[],
  onProgress: () => Promise<void> = async () => undefined,
): Promise<readonly DeadLetter[]> {
  try {
    return await apply(messages)
  } catch (error) {
    if (!isMessageFault(error)) throw error
    await onProgress()
    if (messages.length === 1) return setAside(apply, messages, onProgress)
    const middle = messages.length >> 1
    return [
      ...(await isolatingFaults(apply, messages.slice(0, middle), onProgress)),
      ...(await isolatingFaults(apply, messages.slice(middle), onProgress)),
    ]
  }
}

/** Tries a single message once more, then sets it aside. */
async function setAside(
  apply: Apply,
  messages: readonly ConsumedMessage[],
  onProgress: () => Promise<void>,
): Promise<readonly DeadLetter[]> {
  try {
    return await apply(messages)
  } catch (error) {
    if (!isMessageFault(error)) throw error
    await onProgress()
    const reason = reasonOf(error)
    return apply(messages, async (batch) => {
      for (const message of batch.messages) batch.deadLetter(message, reason)
    })
  }
}
