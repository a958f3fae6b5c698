import { pause, unlessAborted } from '@connectivity/service-kit/work'
import type { Admin, Kafka } from 'kafkajs'
import { BrokerConnections } from '../broker/broker-connections.js'

const LIMIT = 30_000
const INTERVAL = 100

/**
 * Waits until every partition of the topics has a leader that knows it leads. Just after a topic's creation, brokers
 * answer that it does not exist, or name a leader that rejects requests.
 * @throws Error naming the topics without one after `limit` ms
 */
export async function waitForLeaders(kafka: Kafka, topics: readonly string[], limit = LIMIT): Promise<void> {
  const connections = new BrokerConnections(kafka)
  const admin = kafka.admin()
  connections.detach()
  const deadline = AbortSignal.timeout(limit)
  const waiting = new Set(topics)
  let cause: unknown
  try {
    await unlessAborted(admin.connect(), deadline)
    // In parallel, because kafkajs waits without a limit for a topic that has no leader yet.
    await Promise.all(topics.map((topic) => waitForOne(topic)))
  } catch (error) {
    cause ??= error
    const names = [...waiting].join(', ')
    throw new Error(`topics have no leader after ${limit} ms: ${names}`, { cause })
  } finally {
    await connections.close(() => admin.disconnect())
  }

  async function waitForOne(topic: string): Promise<void> {
    for (;;) {
      try {
        if (await unlessAborted(isLed(admin, topic), deadline)) return void waiting.delete(topic)
      } catch (error) {
        deadline.throwIfAborted()
        cause = error
      }
      await pause(INTERVAL, deadline)
    }
  }
}

/** The metadata name the leader; only an answer about offsets proves that the leader has started. */
async function isLed(admin: Admin, topic: string): Promise<boolean> {
  const { topics } = await admin.fetchTopicMetadata({ topics: [topic] })
  const partitions = topics.flatMap((found) => found.partitions)
  if (partitions.length === 0 || partitions.some(({ leader }) => leader < 0)) return false
  const offsets = await admin.fetchTopicOffsets(topic)
  return offsets.length === partitions.length
}
