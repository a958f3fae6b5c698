// kafkajs for the launcher: to see whether the broker is up, and to publish as the booking engine does.
import kafkajs from 'kafkajs'

// kafkajs 2.2.4 asks Node for timers of less than nothing; Node 24 says so at every connection.
const listeners = process.listeners('warning')
process.removeAllListeners('warning')
process.on('warning', (warning) => {
  if (warning.name !== 'TimeoutNegativeWarning') for (const listener of listeners) listener(warning)
})

/** A client; silent, because what matters of its troubles becomes an error anyway. */
export const kafkaClient = (brokers, options = {}) =>
  new kafkajs.Kafka({
    clientId: 'partner-connectivity-launcher',
    brokers,
    connectionTimeout: 1_000,
    logLevel: kafkajs.logLevel.NOTHING,
    ...options,
  })

/** murmur2, as Java and librdkafka's murmur2_random: every producer of the system has to put a key in the same place. */
const partitioner = kafkajs.Partitioners.DefaultPartitioner

/** A producer as the booking engine has it, each message once and in order; whoever makes it connects it. */
export const kafkaProducer = (brokers, options) =>
  kafkaClient(brokers, options).producer({ idempotent: true, maxInFlightRequests: 1, createPartitioner: partitioner })

// Asked for its offsets; a group of this name never consumes.
const GROUP = 'is-the-coordinator-up'

/**
 * True when a broker of the cluster answers and so does the coordinator of groups: a cluster makes the coordinator's
 * topic only when it is first asked for, and the first consumers of a fresh one would stumble over its absence.
 */
export async function isUp(brokers) {
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
