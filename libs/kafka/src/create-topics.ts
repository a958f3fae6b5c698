import { topics, type TopicDeclaration } from '@connectivity/contracts/topics'
import type { Kafka } from 'kafkajs'

const DAY_MS = 86_400_000

function configEntries({ kept, maxMessageBytes }: TopicDeclaration): { name: string; value: string }[] {
  const retention =
    kept === 'compacted'
      ? [{ name: 'cleanup.policy', value: 'compact' }]
      : [{ name: 'retention.ms', value: String(kept * DAY_MS) }]
  // Whatever a producer compresses with, consumers get what kafkajs can read, and the size limit is that of the text.
  const compression = { name: 'compression.type', value: 'uncompressed' }
  return [...retention, compression, { name: 'max.message.bytes', value: String(maxMessageBytes) }]
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
        configEntries: configEntries(declaration),
      })),
    })
    return missing.map(([name]) => name)
  } finally {
    await admin.disconnect()
  }
}
