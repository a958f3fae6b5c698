import { randomUUID } from 'node:crypto'
import type { Database } from '@connectivity/database'
import { eventually } from '@connectivity/testing/eventually'
import type { Kafka } from 'kafkajs'
import { createServiceDatabase, fencesAtEnd, logger, openKafka, topic } from '../../test/fixture.js'
import { suiteBroker } from '../../test/suite-kafka.js'
import { WatchedLog } from './watched-log.js'

const MINUTE = 60_000

describe('the age of the log of a process that starts with a backlog', () => {
  let kafka: Kafka
  let database: Database
  let drop: () => Promise<void>
  beforeAll(async () => {
    kafka = await openKafka()
    ;({ database, drop } = await createServiceDatabase())
  })
  afterAll(() => drop())

  /** Adds messages of these ages to a partition. */
  async function publish(partition: number, ...minutes: number[]): Promise<void> {
    const producer = kafka.producer()
    await producer.connect()
    const messages = minutes.map((age) => ({ partition, value: '{}', timestamp: String(Date.now() - age * MINUTE) }))
    await producer.send({ topic, acks: -1, messages })
    await producer.disconnect()
  }

  it('is that of the oldest message, and falls as messages take effect', async () => {
    const group = `test-${randomUUID()}`
    await fencesAtEnd(kafka, database, group)
    await publish(3, 60, 30, 10)
    await publish(4, 20)
    const log = new WatchedLog({ ...suiteBroker, service: 'test', group, instance: 'test' }, topic, logger, database)
    log.onApplicationBootstrap()
    const take = (partition: number, count: number) =>
      database.query(
        'UPDATE consumed_offset SET next_offset = next_offset + $3 WHERE consumer_group = $1 AND partition = $2',
        [group, partition, count],
      )
    const isAbout = (minutes: number) =>
      eventually(() => {
        expect(log.lagMilliseconds()).toBeGreaterThan((minutes - 1) * MINUTE)
        expect(log.lagMilliseconds()).toBeLessThan((minutes + 5) * MINUTE)
      })
    try {
      await isAbout(60)
      await take(3, 1)
      await isAbout(30)
      await take(3, 2)
      await isAbout(20)
      await take(4, 1)
      await eventually(() => expect(log.lagMilliseconds()).toBe(0))
      // A message that comes later counts from when it was first seen, whatever its timestamp.
      await publish(3, 60)
      await eventually(() => expect(log.lagMilliseconds()).toBeGreaterThan(0))
      expect(log.lagMilliseconds()).toBeLessThan(MINUTE)
    } finally {
      await log.onModuleDestroy()
    }
  })
})
