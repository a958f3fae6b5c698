import { type Database, type FencedPartition, forgetFence, readFences } from '@connectivity/database'
import type { Logger } from '@connectivity/service-kit/logging'
import type { Kafka } from 'kafkajs'
import type { KafkaOptions } from '../broker/kafka-client.js'

/** What start positions are read from. */
interface Assigned {
  kafka: Kafka
  database: Database
  options: Pick<KafkaOptions, 'group' | 'readAgain'>
  assignment: Assignment
  log: Logger
}

const BEYOND = 'committed offset is beyond the end of the log; restarting from the beginning'
const AGAIN = 'reading the topic from the beginning once more'

type Fence = FencedPartition & { nextOffset: string }

/** Partitions assigned to a member, by topic. */
export type Assignment = Readonly<Record<string, readonly number[]>>

/**
 * Start positions of assigned partitions, by `topic/partition`, from the database. Others are left alone: for the ends
 * of a topic that was deleted, kafkajs would wait for ever. A partition without one is read from its beginning, even if
 * Kafka's own offset says otherwise; so is a partition whose position lies beyond the end of the log, because the topic
 * was recreated or restored from an older state; so are the topics of `readAgain`. Reading messages again changes
 * nothing, because every message carries a version.
 */
export async function readPositions({
  kafka,
  database,
  options,
  assignment,
  log,
}: Assigned): Promise<Map<string, string>> {
  const stored = await readFences(database, options.group)
  const fences = stored.filter(({ topic, partition }) => assignment[topic]?.includes(partition))
  const again: readonly string[] = (await options.readAgain?.(database)) ?? []
  const ends = fences.length > 0 ? await logEnds(kafka, [...new Set(fences.map(({ topic }) => topic))]) : new Map()
  const positions = new Map<string, string>()
  for (const fence of fences) {
    const { topic, partition, nextOffset } = fence
    const isTooFar = isBeyond(fence, ends.get(keyOf(fence)))
    if (!isTooFar && !again.includes(topic)) {
      positions.set(keyOf(fence), nextOffset)
      continue
    }
    await database.transaction((tx) => forgetFence(tx, fence, BigInt(nextOffset)))
    if (isTooFar) log.error({ topic, partition }, BEYOND)
    else log.info({ topic, partition }, AGAIN)
  }
  return positions
}

const keyOf = ({ topic, partition }: Fence): string => `${topic}/${partition}`

const isBeyond = ({ nextOffset }: Fence, end: string | undefined): boolean =>
  end !== undefined && BigInt(nextOffset) > BigInt(end)

async function logEnds(kafka: Kafka, topics: readonly string[]): Promise<Map<string, string>> {
  const admin = kafka.admin()
  await admin.connect()
  try {
    const offsets = await Promise.all(
      topics.map(async (topic) => ({ topic, ends: await admin.fetchTopicOffsets(topic) })),
    )
    return new Map(
      offsets.flatMap(({ topic, ends }) => ends.map(({ partition, high }) => [`${topic}/${partition}`, high])),
    )
  } finally {
    await admin.disconnect()
  }
}
