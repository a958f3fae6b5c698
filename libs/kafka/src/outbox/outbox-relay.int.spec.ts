import { randomUUID } from 'node:crypto'
import { jest } from '@jest/globals'
import { topics } from '@connectivity/contracts/topics'
import { type Database, enqueue } from '@connectivity/database'
import { eventually } from '@connectivity/testing/eventually'
import { messages } from '@connectivity/testing/messages'
import { NetworkPath } from '@connectivity/toolkit/network-path'
import type { Consumer, Kafka, KafkaMessage } from 'kafkajs'
import { register } from 'prom-client'
import { createServiceDatabase, logger, openDatabase, openKafka, topic } from '../../test/fixture.js'
import { suiteBroker } from '../../test/suite-kafka.js'
import { applyBatch } from '../consuming/batch-transaction.js'
import { OutboxRelay } from './outbox-relay.js'
import { OutboxGauges } from './outbox-gauges.js'

let kafka: Kafka
let consumer: Consumer
let database: Database
let url: string
let drop: () => Promise<void>
const received: (KafkaMessage & { topic: string })[] = []

/** A topic that takes 1 MiB at most. */
const small = 'connectivity.ari-updates.v1'

/** Reads all that the suite publishes. */
async function listen(): Promise<void> {
  consumer = kafka.consumer({ groupId: `test-${randomUUID()}`, maxWaitTimeInMs: 100 })
  let joined!: () => void
  const isJoined = new Promise<void>((resolve) => (joined = resolve))
  consumer.on('consumer.fetch', () => joined())
  await consumer.connect()
  await consumer.subscribe({ topics: [topic, `${topic}.dlq`, small], fromBeginning: true })
  await consumer.run({
    eachMessage: async ({ topic: from, message }) => void received.push({ ...message, topic: from }),
  })
  await isJoined
}

beforeAll(async () => {
  kafka = await openKafka()
  await listen()
})
afterAll(() => consumer.disconnect())
beforeEach(async () => ({ database, url, drop } = await createServiceDatabase()))
afterEach(async () => {
  await Promise.all(relays.splice(0).map((relay) => relay.onModuleDestroy()))
  await drop()
})

const relays: OutboxRelay[] = []

function startRelay(on: Database = database): OutboxRelay {
  const relay = new OutboxRelay({ ...suiteBroker, service: 'test', group: 'test', instance: randomUUID() }, logger, on)
  relay.onApplicationBootstrap()
  relays.push(relay)
  return relay
}

const write = (key: string, values: readonly string[], on = database): Promise<void> =>
  on.transaction((tx) =>
    enqueue(
      tx,
      values.map((value) => ({ topic, key, value })),
    ),
  )

async function endLeadersSession(): Promise<void> {
  const { rowCount } = await database.query(
    `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  )
  expect(rowCount).toBe(1)
}

const valuesOf = (key: string) =>
  received.filter((message) => message.key?.toString() === key).map(({ value }) => `${value}`)
const waiting = async () => (await database.query('SELECT 1 FROM outbox')).rowCount
const expectEmpty = () => eventually(async () => expect(await waiting()).toBe(0))
const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index))

describe('the outbox relay', () => {
  it('publishes in order per key and deletes what the broker has acknowledged', async () => {
    const keys = [randomUUID(), randomUUID(), randomUUID()]
    for (const key of keys) await write(key, numbers(700))
    startRelay()
    await expectEmpty()
    for (const key of keys) await eventually(() => expect(valuesOf(key)).toEqual(numbers(700)))
  })

  it('publishes at once what is committed while it runs, and nothing that is rolled back', async () => {
    startRelay()
    const [key, undone] = [randomUUID(), randomUUID()]
    await write(key, ['first'])
    await eventually(() => expect(valuesOf(key)).toEqual(['first']))
    const rollback = database.transaction((tx) => {
      enqueue(tx, [{ topic, key: undone, value: 'never' }])
      throw new Error('rolled back')
    })
    await expect(rollback).rejects.toThrow('rolled back')
    const waits: number[] = []
    for (let count = 2; count <= 6; count++) {
      const from = Date.now()
      await write(key, [String(count)])
      await eventually(() => expect(valuesOf(key)).toHaveLength(count))
      waits.push(Date.now() - from)
    }
    // The backstop runs once a second; a busy machine may delay one or the other.
    expect(Math.min(...waits)).toBeLessThan(900)
    expect(valuesOf(key)).toEqual(['first', '2', '3', '4', '5', '6'])
    expect(valuesOf(undone)).toEqual([])
  })

  it('gathers the messages of many commits, for 10 ms at most', async () => {
    const relay = startRelay()
    const send = jest.spyOn(relay['broker'].producer, 'sendBatch')
    const key = randomUUID()
    await write(key, ['first'])
    await expectEmpty()
    send.mockClear()
    const begun = performance.now()
    const values = numbers(100)
    for (const value of values) await write(key, [value])
    await expectEmpty()
    expect(send.mock.calls.length).toBeLessThanOrEqual((performance.now() - begun) / 10 + 1)
    await eventually(() => expect(valuesOf(key)).toEqual(['first', ...values]))
  })

  it('publishes messages that are too large to be sent together', async () => {
    const key = randomUUID()
    const values = ['a', 'b', 'c'].map((letter) => letter.repeat(3 * 1024 * 1024))
    await write(key, values)
    startRelay()
    await expectEmpty()
    await eventually(() => expect(valuesOf(key).map((value) => value.length)).toEqual(values.map((v) => v.length)))
    expect(valuesOf(key).map((value) => value[0])).toEqual(['a', 'b', 'c'])
  })

  it('runs in one replica at a time; another takes over when it stops or loses its session', async () => {
    const key = randomUUID()
    const first = startRelay()
    await write(key, ['1'])
    await expectEmpty()
    const other = openDatabase(url)
    startRelay(other)
    await write(key, ['2'], other)
    await expectEmpty()
    await relays.splice(relays.indexOf(first), 1)[0]!.onModuleDestroy()
    await write(key, ['3'], other)
    await expectEmpty()
    startRelay()
    await endLeadersSession()
    await write(key, ['4', '5'])
    await expectEmpty()
    await eventually(() => expect(valuesOf(key)).toEqual(['1', '2', '3', '4', '5']))
    await Promise.all(relays.splice(0).map((relay) => relay.onModuleDestroy()))
    await other.close()
  })

  it('sends nothing late that it read before it lost its session', async () => {
    const key = randomUUID()
    const first = startRelay()
    await write(key, ['warm up'])
    await expectEmpty()
    const { producer } = first['broker']
    const send = producer.sendBatch
    const [sent, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    producer.sendBatch = async (batch) => {
      sent.resolve()
      await gate.promise
      return send(batch)
    }
    await write(key, ['1'])
    await sent.promise
    const other = openDatabase(url)
    startRelay(other)
    await endLeadersSession()
    await eventually(() => expect(valuesOf(key).at(-1)).toBe('1'))
    await write(key, ['2'])
    await eventually(() => expect(valuesOf(key).at(-1)).toBe('2'))
    gate.resolve()
    await write(key, ['3'])
    await eventually(() => expect(valuesOf(key)).toEqual(['warm up', '1', '2', '3']))
    await Promise.all(relays.splice(0).map((relay) => relay.onModuleDestroy()))
    await other.close()
  })

  it('keeps the order per key while two replicas write and lead in turn', async () => {
    const keys = [randomUUID(), randomUUID()]
    const other = openDatabase(url)
    startRelay()
    startRelay(other)
    const writing = keys.map(async (key, index) => {
      for (const value of numbers(150)) await write(key, [value], index === 0 ? database : other)
    })
    await Promise.all(writing)
    await expectEmpty()
    for (const key of keys) await eventually(() => expect(valuesOf(key)).toEqual(numbers(150)))
    await Promise.all(relays.splice(0).map((relay) => relay.onModuleDestroy()))
    await other.close()
  })

  it('publishes dead letters with their original bytes and the reason', async () => {
    const mark = randomUUID()
    const invalid = Buffer.concat([Buffer.from(mark), Buffer.from([0xff, 0x00, 0x1f])])
    const given = [
      { ...messages([invalid])[0]!, key: null },
      { ...messages([''], 1n)[0]!, key: Buffer.from(mark) },
    ]
    await applyBatch(database, { group: 'test', topic, partition: 7 }, given, async (batch) => {
      for (const message of batch.messages) batch.deadLetter(message, `cannot be read ${mark}`)
    })
    startRelay()
    await expectEmpty()
    const published = () => received.filter(({ headers }) => headers?.reason?.toString().includes(mark))
    await eventually(() => expect(published()).toHaveLength(2))
    expect(
      published().map(({ key, value, headers, topic: to }) => ({
        to,
        key,
        value,
        offset: `${headers!['source-offset']}`,
      })),
    ).toEqual(
      expect.arrayContaining([
        { to: `${topic}.dlq`, key: null, value: invalid, offset: '0' },
        { to: `${topic}.dlq`, key: Buffer.from(mark), value: Buffer.alloc(0), offset: '1' },
      ]),
    )
    expect(
      Object.fromEntries(Object.entries(published()[0]!.headers!).map(([name, value]) => [name, `${value}`])),
    ).toMatchObject({ 'source-topic': topic, 'source-partition': '7' })
  })

  it('parks a message that its topic will never accept and publishes those after it', async () => {
    startRelay()
    const key = randomUUID()
    const huge = 'x'.repeat(topics[small].maxMessageBytes + 1)
    await database.transaction((tx) =>
      enqueue(
        tx,
        [huge, 'next'].map((value) => ({ topic: small, key, value })),
      ),
    )
    await eventually(() => expect(received.filter((m) => m.key?.toString() === key)).toHaveLength(1))
    await eventually(async () => {
      const { rows } = await database.query('SELECT parked_at IS NOT NULL AS parked FROM outbox')
      expect(rows).toEqual([{ parked: true }])
    })
    new OutboxGauges(database, logger).onModuleInit()
    const labels = `{topic="${small}",reason="message_too_large"}`
    expect(await register.metrics()).toContain(`connectivity_outbox_parked${labels} 1`)
    // Parked as by an older release.
    await database.query('UPDATE outbox SET parked_reason = NULL')
    expect(await register.metrics()).toContain(`connectivity_outbox_parked{topic="${small}",reason="unknown"} 1`)
    expect(await register.metrics()).toContain('connectivity_outbox_waiting 0')
    await database.query('UPDATE outbox SET parked_at = NULL')
    expect(await register.metrics()).toContain('connectivity_outbox_waiting 1')
    await database.query('DELETE FROM outbox')
    expect(await register.metrics()).not.toContain('connectivity_outbox_parked{')
  })

  it('goes on through a new session when the one it has is silently lost', async () => {
    const { path, url: throughPath } = await NetworkPath.before(url)
    const other = openDatabase(throughPath)
    const warn = jest.spyOn(logger, 'warn')
    startRelay(other)
    const key = randomUUID()
    await write(key, ['1'])
    await expectEmpty()
    path.stall()
    await write(key, ['2'])
    const interrupted = expect.stringContaining('outbox relay interrupted')
    await eventually(() => expect(warn).toHaveBeenCalledWith(expect.anything(), interrupted), { deadline: 15_000 })
    path.restore()
    await expectEmpty()
    await eventually(() => expect(valuesOf(key)).toEqual(['1', '2']))
    warn.mockRestore()
    await Promise.all(relays.splice(0).map((relay) => relay.onModuleDestroy()))
    await other.close()
    path.close()
  })

  it('stops within seconds when the broker cannot be reached', async () => {
    const nowhere = { brokers: ['127.0.0.1:1'], instance: 'test', service: 'test', group: 'test' }
    const relay = new OutboxRelay(nowhere, logger, database)
    relay.onApplicationBootstrap()
    const began = Date.now()
    await relay.onModuleDestroy()
    expect(Date.now() - began).toBeLessThan(3_000)
  })
})
