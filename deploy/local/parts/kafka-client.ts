// kafkajs for the launcher: checks whether the broker is up, and publishes as the booking engine does.
import kafkajs, { type Kafka, type KafkaConfig, type Producer } from 'kafkajs'

// kafkajs 2.2.4 sets timers with negative delays; Node 24 warns about it at every connection.
const listeners = process.listeners('warning')
process.removeAllListeners('warning')
process.on('warning', (warning) => {
  if (warning.name !== 'TimeoutNegativeWarning') for (const listener of listeners) listener(warning)
})

/** A client without logging: every relevant failure becomes an error anyway. */
export const kafkaClient = (brokers: string[], options: Partial<KafkaConfig> = {}): Kafka =>
  new kafkajs.Kafka({
    clientId: 'partner-connectivity-launcher',
    brokers,
    connectionTimeout: 1_000,
    logLevel: kafkajs.logLevel.NOTHING,
    ...options,
  })

/** murmur2, as Java and librdkafka's murmur2_random: all producers must assign a key to the same partition. */
const partitioner = kafkajs.Partitioners.DefaultPartitioner

/** A producer like the booking engine's: each message once and in order. The caller connects it. */
export const kafkaProducer = (brokers: string[], options?: Partial<KafkaConfig>): Producer =>
  kafkaClient(brokers, options).producer({ idempotent: true, maxInFlightRequests: 1, createPartitioner: partitioner })

// Asked for its offsets; a group of this name never consumes.
const GROUP = 'is-the-coordinator-up'

/**
 * True when a broker of the cluster and the group coordinator answer: a cluster creates the coordinator's topic only on
 * the first request for it, and the first consumers of a fresh cluster would fail without it.
 */
export async function isUp(brokers: string[]): Promise<boolean> {
  const admin = kafkaClient(brokers, { retry: { retries: 0 } }).admin()
  try {
    await admin.connect()
    const { brokers: living } = await admin.describeCluster()
    await admin.fetchOffsets({ groupId: GROUP })
    return living.length > 0
  } finally {
    await admin.disconnect().catch(() => {})
  }
}
