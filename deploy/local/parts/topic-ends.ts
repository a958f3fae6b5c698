// First and next offsets of topics' partitions.
import { kafkaClient } from './kafka-client.ts'

/** Offsets of a partition. */
export interface Ends {
  /** The first offset. */
  low: bigint
  /** The next offset. */
  high: bigint
}

/** @returns by `topic/partition` */
export async function topicEnds(brokers: string[], topics: readonly string[]): Promise<Map<string, Ends>> {
  const admin = kafkaClient(brokers).admin()
  await admin.connect()
  try {
    const ends = topics.map(async (topic) =>
      (await admin.fetchTopicOffsets(topic)).map(({ partition, low, high }): [string, Ends] => [
        `${topic}/${partition}`,
        { low: BigInt(low), high: BigInt(high) },
      ]),
    )
    return new Map((await Promise.all(ends)).flat())
  } finally {
    await admin.disconnect()
  }
}
