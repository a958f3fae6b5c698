import { randomUUID } from 'node:crypto'
import { type Database, readFences } from '@connectivity/database'
import { eventually } from '@connectivity/testing/eventually'
import type { Kafka } from 'kafkajs'
import { createServiceDatabase, fencesAtEnd, logger, openKafka, runConsumer, topic } from '../../test/fixture.js'
import { suiteBroker } from '../../test/suite-kafka.js'
import { WatchedLog } from './watched-log.js'

const MINUTE = 60_000

let kafka: Kafka
let database: Database
let drop: () => Promise<void>
beforeAll(async () => {
  kafka = await openKafka()
  ;({ database, drop } = await createServiceDatabase())
})
afterAll(() => drop())

describe('the age of the log of a process that starts with a backlog', () => {
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

describe('the age of a log that is applied to its end', () => {
  /** Writes one message in a transaction, which it commits or aborts: both end in a record that no consumer sees. */
  async function transact(end: 'commit' | 'abort'): Promise<void> {
    const producer = kafka.producer({ transactionalId: randomUUID(), idempotent: true, maxInFlightRequests: 1 })
    await producer.connect()
    const transaction = await producer.transaction()
    await transaction.send({ topic: suiteBroker.topicPrefix + topic, messages: [{ partition: 6, value: '{}' }] })
    await transaction[end]()
    await producer.disconnect()
  }

  async function publish(values: (string | null)[]): Promise<void> {
    const producer = kafka.producer()
    await producer.connect()
    await producer.send({ topic, messages: values.map((value) => ({ key: 'k', value, partition: 6 })) })
    await producer.disconnect()
  }

  const position = async (group: string) => {
    const fences = await readFences(database, group)
    return Number(fences.find(({ partition }) => partition === 6)!.nextOffset)
  }

  it.each<[string, number, () => Promise<void>]>([
    ['a message and its tombstone', 2, () => publish(['{}', null])],
    ['a tombstone alone', 1, () => publish([null])],
    ['a committed transaction', 2, () => transact('commit')],
    ['an aborted transaction', 2, () => transact('abort')],
  ])('is 0 behind %s', async (_ending, offsets, write) => {
    const group = `test-${randomUUID()}`
    await fencesAtEnd(kafka, database, group)
    const { stop } = runConsumer(database, async () => undefined, { group })
    const log = new WatchedLog({ ...suiteBroker, service: 'test', group, instance: 'test' }, topic, logger, database)
    log.onApplicationBootstrap()
    try {
      const before = await position(group)
      await write()
      await eventually(async () => expect(await position(group)).toBe(before + offsets), { deadline: 20_000 })
      await eventually(() => expect(log.lagMilliseconds()).toBe(0))
    } finally {
      await log.onModuleDestroy()
      await stop()
    }
  })
})
