import { topics, type TopicDeclaration } from '@connectivity/contracts/topics'
import type { Kafka } from 'kafkajs'

const DAY_MS = 86_400_000

/** How the broker is told to keep a topic: its settings by name. */
export function topicConfig({ kept, maxMessageBytes }: TopicDeclaration): Record<string, string> {
  const retention: Record<string, string> =
    kept === 'compacted' ? { 'cleanup.policy': 'compact' } : { 'retention.ms': String(kept * DAY_MS) }
  return {
    ...retention,
    // Whatever a producer compresses with, consumers get what kafkajs can read, and the size limit is that of the text.
    'compression.type': 'uncompressed',
    'max.message.bytes': String(maxMessageBytes),
  }
}

/**
 * Creates the declared topics that are missing; existing ones are left as they are.
 * @returns the names of the created ones
 */
export async function createTopics(kafka: Kafka, partitions: number, replication: number): Promise<string[]> {
  const admin = kafka.admin()
  await admin.connect()
  try {
    const existing = new Set(await admin.listTopics())
    const missing = Object.entries(topics).filter(([name]) => !existing.has(name))
    await admin.createTopics({
      waitForLeaders: true,
      topics: missing.map(([topic, declaration]) => ({
        topic,
        numPartitions: partitions,
        replicationFactor: replication,
        configEntries: Object.entries(topicConfig(declaration)).map(([name, value]) => ({ name, value })),
      })),
    })
    return missing.map(([name]) => name)
  } finally {
    await admin.disconnect()
  }
}
