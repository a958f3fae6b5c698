import { topics, type TopicDeclaration } from '@connectivity/contracts/topics'
import kafkajs, { type Admin, type Kafka } from 'kafkajs'
import { waitForLeaders } from './wait-for-leaders.js'

/** Node sees no such name among the exports of a CommonJS package; tests, which are not run by Node's loader, would. */
const { ConfigResourceTypes } = kafkajs

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

const LIMIT = 'max.message.bytes'

/** What differs from the broker's own defaults, by name; Kafka takes a topic's settings back that are not given again. */
async function settingsOf(admin: Admin, topic: string): Promise<Map<string, string>> {
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [{ type: ConfigResourceTypes.TOPIC, name: topic }],
  })
  const own = resources[0]!.configEntries.filter(({ isDefault }) => !isDefault)
  return new Map(own.map(({ configName, configValue }) => [configName, configValue]))
}

/** Topics of an earlier release may take less than ours send now. */
async function raiseLimit(admin: Admin, topic: string, { maxMessageBytes }: TopicDeclaration): Promise<void> {
  const settings = await settingsOf(admin, topic)
  if (Number(settings.get(LIMIT) ?? Infinity) >= maxMessageBytes) return
  const configEntries = [...settings.set(LIMIT, String(maxMessageBytes))].map(([name, value]) => ({ name, value }))
  await admin.alterConfigs({
    validateOnly: false,
    resources: [{ type: ConfigResourceTypes.TOPIC, name: topic, configEntries }],
  })
}

/**
 * Creates the declared topics that are missing; of existing ones only a size limit below the declared one is raised.
 * @returns the names of the created ones, each of which has its leaders
 * @throws Error naming those without leaders after 30 s
 */
export async function createTopics(kafka: Kafka, partitions: number, replication: number): Promise<string[]> {
  const admin = kafka.admin()
  await admin.connect()
  try {
    const existing = new Set(await admin.listTopics())
    const missing = Object.entries(topics).filter(([name]) => !existing.has(name))
    await admin.createTopics({
      // kafkajs fails where a broker has not heard of the topic yet; hence our own wait.
      waitForLeaders: false,
      topics: missing.map(([topic, declaration]) => ({
        topic,
        numPartitions: partitions,
        replicationFactor: replication,
        configEntries: Object.entries(topicConfig(declaration)).map(([name, value]) => ({ name, value })),
      })),
    })
    const created = missing.map(([name]) => name)
    await waitForLeaders(kafka, created)
    for (const [name, declaration] of Object.entries(topics)) {
      if (existing.has(name)) await raiseLimit(admin, name, declaration)
    }
    return created
  } finally {
    await admin.disconnect()
  }
}
