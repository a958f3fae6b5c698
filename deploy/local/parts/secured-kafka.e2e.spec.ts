import { type KafkaUser, kafkaUsers, permissionsOf } from '@connectivity/contracts/kafka-users'
import { topics } from '@connectivity/contracts/topics'
import { brokerAccess, brokerKeys, evictPredecessor } from '@connectivity/kafka/broker'
import { createTopics, grantAccess, waitForTopics } from '@connectivity/kafka/topics'
import { readConfig } from '@connectivity/service-kit/config'
import { eventually } from '@connectivity/testing/eventually'
import { kafkaClient } from './kafka-client.ts'
import { ADMINISTRATOR, SecuredBroker } from './secured-broker.ts'

const broker = new SecuredBroker()
const overTls = { KAFKA_CA_FILE: broker.file('broker.crt') }
const as = (KAFKA_SASL_USERNAME: string) => ({ KAFKA_SASL_USERNAME, KAFKA_SASL_PASSWORD: ADMINISTRATOR.password })
const asAdministrator = as(ADMINISTRATOR.name)

beforeAll(async () => {
  await broker.start(Object.fromEntries(kafkaUsers.map((user) => [user, ADMINISTRATOR.password])))
  await eventually(() => clusterSize({ ...overTls, ...asAdministrator }), { deadline: 90_000 })
}, 150_000)
afterAll(() => broker.stop())

type Kafka = ReturnType<typeof kafkaClient>

/** A client configured like a service with this environment; it gives up after `retries` further tries. */
function clientOf(env: Record<string, string>, retries = 0): Kafka {
  const protocol = 'KAFKA_SASL_USERNAME' in env ? 'SASL_SSL' : 'SSL'
  const KAFKA_BROKERS = `127.0.0.1:${protocol === 'SSL' ? broker.ports.mutual : broker.ports.sasl}`
  const config = readConfig(brokerKeys, { KAFKA_BROKERS, KAFKA_SECURITY_PROTOCOL: protocol, ...env })
  const { brokers, ...security } = brokerAccess(config)
  return kafkaClient([...brokers], { ...security, retry: { retries, initialRetryTime: 50 } })
}

/** Number of brokers that a service with this environment sees at its first try. */
async function clusterSize(env: Record<string, string>): Promise<number> {
  const admin = clientOf(env).admin()
  try {
    await admin.connect()
    return (await admin.describeCluster()).brokers.length
  } finally {
    await admin.disconnect()
  }
}

describe('a Kafka that authenticates its clients', () => {
  it.each(['PLAIN', 'SCRAM-SHA-512'])('is reached over TLS by %s', async (KAFKA_SASL_MECHANISM) => {
    expect(await clusterSize({ ...overTls, ...asAdministrator, KAFKA_SASL_MECHANISM })).toBe(1)
  })

  it('is reached by a client certificate', async () => {
    const KAFKA_CLIENT_CERTIFICATE_FILE = broker.file('client.crt')
    const KAFKA_CLIENT_KEY_FILE = broker.file('client.key')
    expect(await clusterSize({ ...overTls, KAFKA_CLIENT_CERTIFICATE_FILE, KAFKA_CLIENT_KEY_FILE })).toBe(1)
    await expect(clusterSize(overTls)).rejects.toThrow()
  })

  it('is not reached when its certificate is not trusted, or with a wrong password', async () => {
    await expect(clusterSize(asAdministrator)).rejects.toThrow('self-signed certificate')
    const stranger = { ...overTls, ...asAdministrator, KAFKA_SASL_PASSWORD: 'guess' }
    await expect(clusterSize(stranger)).rejects.toThrow('SASL SCRAM SHA512 authentication failed')
  })
})

/** Error of kafkajs for a group that the user may not read. */
const REFUSED = /authoriz|Failed to find group coordinator/i
const names = Object.keys(topics)
const allowed = (user: KafkaUser, operation: 'Read' | 'Write') =>
  permissionsOf(user)
    .filter(({ resource, operations }) => resource === 'topic' && operations.includes(operation))
    .map(({ name }) => name)
const parties = kafkaUsers.filter((user) => allowed(user, 'Write').length > 0)
const clientAs = (user: KafkaUser) => clientOf({ ...overTls, ...as(user) }, 5)

/** Topics that accepted a message of this user. */
async function written(user: KafkaUser): Promise<string[]> {
  const producer = clientAs(user).producer({ idempotent: true, maxInFlightRequests: 1 })
  await producer.connect()
  const taken: string[] = []
  for (const topic of names) {
    const sent = producer.send({ topic, messages: [{ key: user, value: user }] })
    const error = await sent.then(
      () => null,
      (failure: Error) => failure,
    )
    if (error === null) taken.push(topic)
    else expect(error.message).toMatch(REFUSED)
  }
  await producer.disconnect()
  return taken
}

/** Error that ends a consumer of this group; null once it has read a message of each topic. */
async function reading(user: KafkaUser, groupId: string, from: readonly string[]): Promise<Error | null> {
  const consumer = clientAs(user).consumer({
    groupId,
    retry: { restartOnFailure: async () => false },
  })
  const read = new Set<string>()
  let crash: Error | null = null
  consumer.on(consumer.events.CRASH, ({ payload }) => void (crash = payload.error))
  try {
    await consumer.connect()
    await consumer.subscribe({ topics: [...from], fromBeginning: true })
    await consumer.run({ eachMessage: async ({ topic }) => void read.add(topic) })
    return await eventually(() => crash ?? (expect(read.size).toBe(from.length), null))
  } catch (error) {
    return error as Error
  } finally {
    await consumer.disconnect()
  }
}

describe('a Kafka with the access rules of the contracts', () => {
  beforeAll(async () => {
    await grantAccess(clientOf({ ...overTls, ...asAdministrator }))
    // A broker applies new rules only after a moment.
    await eventually(() => createTopics(clientAs('create-topics'), 1, 1))
  })

  it('lets the deploy step run a second time', async () => {
    expect(await createTopics(clientAs('create-topics'), 1, 1)).toEqual([])
  })

  it.each(parties)(
    'lets %s write to its own topics only',
    async (user) => {
      expect(await written(user)).toEqual(names.filter((name) => allowed(user, 'Write').includes(name)))
    },
    30_000,
  )

  const readers = parties.filter((user) => allowed(user, 'Read').length > 0)

  it('lets every reader start like a service and read its topics, all at the same time', async () => {
    const { signal } = new AbortController()
    const starting = readers.map(async (user) => {
      await waitForTopics(clientAs(user), [...allowed(user, 'Read'), ...allowed(user, 'Write')], signal)
      await evictPredecessor(clientAs(user), user, 'nobody', signal)
      return reading(user, user, allowed(user, 'Read'))
    })
    expect(await Promise.all(starting)).toEqual(readers.map(() => null))
  })

  it.each(readers)(
    'refuses %s to read another topic or join another group',
    async (user) => {
      const [foreign] = names.filter((name) => !allowed(user, 'Read').includes(name))
      expect((await reading(user, user, [foreign!]))?.message).toMatch(REFUSED)
      const group = user === 'gateway' ? 'catalog' : 'gateway'
      expect((await reading(user, group, allowed(user, 'Read').slice(0, 1)))?.message).toMatch(REFUSED)
    },
    30_000,
  )

  it('shows the autoscaler the lag of two groups, and refuses its writes', async () => {
    const admin = clientAs('keda').admin()
    await admin.connect()
    const [lag] = await admin.fetchOffsets({ groupId: 'reservation-feed', topics: ['booking.reservations.v1'] })
    expect(lag!.topic).toBe('booking.reservations.v1')
    await expect(admin.fetchOffsets({ groupId: 'gateway' })).rejects.toThrow(REFUSED)
    await admin.disconnect()
    await expect(written('keda')).rejects.toThrow(REFUSED)
  })
})
