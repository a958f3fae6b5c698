import { topics, type TopicDeclaration } from '@connectivity/contracts/topics'
import kafkajs, { type Admin, type Kafka } from 'kafkajs'
import { waitForLeaders } from './wait-for-leaders.js'

/** Node finds no such named export in a CommonJS package; tests, which do not use Node's loader, would. */
const { ConfigResourceTypes } = kafkajs

const DAY_MS = 86_400_000

/** Broker settings of a topic, by name. */
export function topicConfig({ kept, maxMessageBytes }: TopicDeclaration): Record<string, string> {
  const retention: Record<string, string> =
    kept === 'compacted' ? { 'cleanup.policy': 'compact' } : { 'retention.ms': String(kept * DAY_MS) }
  return {
    ...retention,
    // The broker decompresses every message, since kafkajs reads few codecs; the size limit applies to the text.
    'compression.type': 'uncompressed',
    'max.message.bytes': String(maxMessageBytes),
  }
}

const LIMIT = 'max.message.bytes'

/** Settings that differ from the broker's defaults, by name. An update of a topic resets the settings that it omits. */
async function settingsOf(admin: Admin, topic: string): Promise<Map<string, string>> {
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [{ type: ConfigResourceTypes.TOPIC, name: topic }],
  })
  const own = resources[0]!.configEntries.filter(({ isDefault }) => !isDefault)
  return new Map(own.map(({ configName, configValue }) => [configName, configValue]))
}

/** Topics of an earlier release may accept less than we send now. */
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
 * Creates the missing declared topics. Of existing ones it only raises a size limit below the declared one.
 * @returns the names of the created topics, each of which has its leaders
 * @throws Error naming those without leaders after 30 s
 */
export async function createTopics(kafka: Kafka, partitions: number, replication: number): Promise<string[]> {
  const admin = kafka.admin()
  await admin.connect()
  try {
    const existing = new Set(await admin.listTopics())
    const missing = Object.entries(topics).filter(([name]) => !existing.has(name))
    await admin.createTopics({
      // kafkajs fails if a broker does not know the topic yet, hence our own wait.
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
