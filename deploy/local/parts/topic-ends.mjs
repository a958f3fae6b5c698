// First and next offsets of topics' partitions.
import { kafkaClient } from './kafka-client.mjs'

/** @returns {Promise<Map<string, { low: bigint, high: bigint }>>} by `topic/partition`; `high`: the next offset */
export async function topicEnds(brokers, topics) {
  const admin = kafkaClient(brokers).admin()
  await admin.connect()
  try {
    const ends = topics.map(async (topic) =>
      (await admin.fetchTopicOffsets(topic)).map(({ partition, low, high }) => [
        `${topic}/${partition}`,
        { low: BigInt(low), high: BigInt(high) },
      ]),
    )
    return new Map((await Promise.all(ends)).flat())
  } finally {
    await admin.disconnect()
  }
}
