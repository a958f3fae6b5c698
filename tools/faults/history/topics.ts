// Reads Kafka's topics from the beginning to their current ends.
import { randomUUID } from 'node:crypto'
import { kafkaClient } from '../../../deploy/local/parts/kafka-client.ts'
import { topicEnds } from '../../../deploy/local/parts/topic-ends.ts'
import type { SourceMessage } from './history-types.ts'

/** A message in its topic. */
export interface TopicMessage extends SourceMessage {
  topic: string
  key: string
  headers: Record<string, unknown>
}

/** Reads every message of the topics, in the order of its partition. */
export async function readTopics(brokers: string[], topics: string[]): Promise<TopicMessage[]> {
  const ends = await topicEnds(brokers, topics)
  const left = new Set([...ends].filter(([, { low, high }]) => high > low).map(([place]) => place))
  const messages: TopicMessage[] = []
  if (left.size === 0) return messages
  const consumer = kafkaClient(brokers).consumer({ groupId: `look-${randomUUID()}`, maxWaitTimeInMs: 100 })
  await consumer.connect()
  await consumer.subscribe({ topics, fromBeginning: true })
  const { promise, resolve } = Promise.withResolvers<void>()
  await consumer.run({
    autoCommit: false,
    eachMessage: async ({ topic, partition, message }) => {
      const place = `${topic}/${partition}`
      const { offset, key, value, headers = {} } = message
      const { high } = ends.get(place)!
      if (BigInt(offset) < high)
        messages.push({ topic, partition, offset, key: String(key), text: String(value), headers })
      if (BigInt(offset) + 1n >= high) left.delete(place)
      if (left.size === 0) resolve()
    },
  })
  await promise
  await consumer.disconnect()
  return messages
}
