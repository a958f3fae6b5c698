import { randomUUID } from 'node:crypto'
import type { Database } from '@connectivity/database'
import { Health } from '@connectivity/service-kit/service'
import { eventually } from '@connectivity/testing/eventually'
import type { Kafka } from 'kafkajs'
import { createServiceDatabase, openKafka, topic } from '../../test/fixture.js'
import { recordedLog } from '../../test/recorded-log.js'
import { suiteBroker } from '../../test/suite-kafka.js'
import { BatchConsumer } from '../consuming/batch-consumer.js'
import type { BatchHandler } from '../consuming/batch-transaction.js'
import { InstanceName } from '../broker/instance-name.js'
import { createProducer } from '../broker/kafka-client.js'
import { deadLetters } from '../broker/kafka-metrics.js'

const POISONED = 600
const PARTITIONS = [3, 4]

describe('the log of a consumer with a faulty producer', () => {
  let kafka: Kafka
  let database: Database
  let drop: () => Promise<void>

  beforeAll(async () => {
    kafka = await openKafka()
    ;({ database, drop } = await createServiceDatabase())
  })
  afterAll(() => drop())

  async function publish(): Promise<void> {
    const producer = createProducer(kafka)
    await producer.connect()
    const values = Array.from({ length: POISONED }, (_, index) => String(index))
    const messages = PARTITIONS.flatMap((partition) => values.map((value) => ({ partition, value })))
    await producer.send({ topic, messages })
    await producer.disconnect()
  }

  /** In the first partition all fail for one reason, in the second each for its own. */
  const setAsideAll: BatchHandler = async (batch) => {
    for (const message of batch.messages)
      batch.deadLetter(message, batch.partition === PARTITIONS[0] ? 'cannot be read' : `${message.value} is no booking`)
  }

  function start() {
    const id = randomUUID()
    const options = { ...suiteBroker, service: 'test', group: id, instance: id, batch: 50 }
    const { logger, lines } = recordedLog()
    const name = new InstanceName(options, logger, database)
    const consumer = new BatchConsumer(options, logger, database, name, new Health())
    consumer.addHandler(topic, setAsideAll, true)
    consumer.listen(() => undefined)
    const stop = async () => {
      await consumer.close()
      await name.onApplicationShutdown()
    }
    const reports = () => lines.filter(({ message }) => message === 'messages set aside as dead letters')
    return { stop, reports: () => reports().map(({ fields }) => fields) }
  }

  const stored = async () => (await database.query('SELECT FROM dead_letter')).rowCount
  const counted = async () => (await deadLetters.get()).values.find(({ labels }) => labels.topic === topic)?.value ?? 0

  it('has few lines, whose counts add up to the dead letters and the metric', async () => {
    const before = await counted()
    const { stop, reports } = start()
    await publish()
    await eventually(async () => expect(await stored()).toBe(2 * POISONED))
    await stop()
    expect(await counted()).toBe(before + 2 * POISONED)
    for (const partition of PARTITIONS) {
      const lines = reports().filter((line) => line.partition === partition)
      expect(lines.reduce((sum, { count }) => sum + Number(count), 0)).toBe(POISONED)
      expect(lines[0]).toMatchObject({ topic, count: 1, first_offset: '0', last_offset: '0' })
      expect(lines.at(-1)).toMatchObject({ last_offset: String(POISONED - 1) })
    }
    expect(reports().length).toBeLessThan(30)
    expect(reports().filter(({ partition }) => partition === PARTITIONS[0])[1]).toMatchObject({
      reason: 'cannot be read',
      first_offset: '1',
    })
  })
})
