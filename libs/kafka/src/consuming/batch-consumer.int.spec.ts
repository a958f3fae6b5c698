import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { jest } from '@jest/globals'
import type { Database } from '@connectivity/database'
import { NetworkPath } from '@connectivity/toolkit/network-path'
import { eventually } from '@connectivity/testing/eventually'
import type { Consumer, ConsumerStartBatchProcessEvent, Kafka, Message, Producer } from 'kafkajs'
import {
  applied,
  createServiceDatabase,
  fencesAtEnd,
  openDatabase,
  openKafka,
  type RunningConsumer,
  runConsumer,
  topic,
  writeApplied,
} from '../../test/fixture.js'
import type { BatchHandler } from './batch-transaction.js'
import { createProducer } from '../broker/kafka-client.js'

const PARTITION = 5

let kafka: Kafka
let producer: Producer
let database: Database
let url: string
let drop: () => Promise<void>
/** Prefix of the keys of one test. */
let mark: string
let group: string
const running: RunningConsumer[] = []
const opened: Database[] = []
/** Takes longer than a session timeout, so it runs beside the other tests, with its own database and group. */
let besideZombie: ReturnType<typeof consumeBesideZombie>

beforeAll(async () => {
  kafka = await openKafka()
  producer = createProducer(kafka)
  await producer.connect()
  besideZombie = consumeBesideZombie()
  besideZombie.catch(() => undefined)
})
afterAll(async () => {
  await besideZombie.catch(() => undefined)
  await producer.disconnect()
})
beforeEach(async () => {
  ;({ database, url, drop } = await createServiceDatabase())
  mark = randomUUID()
  group = `test-${mark}`
  await fencesAtEnd(kafka, database, group)
})
afterEach(async () => {
  await Promise.all(running.splice(0).map(({ stop }) => stop()))
  await Promise.all(opened.splice(0).map((one) => one.close()))
  await drop()
})

/** Publishes to one partition; returns the first offset. */
async function publish(values: readonly (string | Buffer | null)[], message: Partial<Message> = {}): Promise<bigint> {
  const messages = values.map((value) => ({ key: mark, partition: PARTITION, value, ...message }))
  const [written] = await producer.send({ topic, messages })
  return BigInt(written!.baseOffset!)
}

/** Consumes while another process holds the fence. */
async function consumeBesideZombie() {
  const own = await createServiceDatabase()
  const key = `zombie-${randomUUID()}`
  await fencesAtEnd(kafka, own.database, key)
  const zombie = openDatabase(own.url)
  const { promise: held, resolve: isHeld } = Promise.withResolvers<void>()
  const holding = zombie.transaction(async (tx) => {
    await tx.query('SELECT 1 FROM consumed_offset WHERE partition = $1 FOR UPDATE', [PARTITION])
    isHeld()
    await tx.query('SELECT pg_sleep(12)')
  })
  await held
  const { joins, stop } = runConsumer(own.database, writeApplied(key), { group: key })
  try {
    await publish(['a', 'b'], { key })
    await holding
    await eventually(async () => expect(await applied(own.database)).toHaveLength(2))
    return { applied: await applied(own.database), joins: joins() }
  } finally {
    await stop()
    await zombie.close()
    await own.drop()
  }
}

function start(handle: BatchHandler = writeApplied(mark), on = database, options = {}): RunningConsumer {
  const consumer = runConsumer(on, handle, { group, ...options })
  running.push(consumer)
  return consumer
}

const expectApplied = (...values: string[]) => eventually(async () => expect(await applied(database)).toEqual(values))

/** Waits until the group has reported at least this position to Kafka. */
async function untilReported(position: bigint): Promise<void> {
  const admin = kafka.admin()
  await admin.connect()
  await eventually(async () => {
    const [offsets] = await admin.fetchOffsets({ groupId: group, topics: [topic] })
    const { offset } = offsets!.partitions.find(({ partition }) => partition === PARTITION)!
    expect(BigInt(offset)).toBeGreaterThanOrEqual(position)
  })
  await admin.disconnect()
}

/** Starts a consumer that gets its positions after its join only once it has fetched; returns the fetched offset. */
async function startFetchingFirst(): Promise<bigint> {
  const slow = openDatabase(url)
  opened.push(slow)
  const { query } = slow
  const { promise: fetched, resolve: isFetched } = Promise.withResolvers<bigint>()
  const { consumer, joins } = start(writeApplied(mark), slow)
  const later = async (...given: Parameters<typeof query>) => {
    if (joins() > 0) await fetched
    return query(...given)
  }
  jest.spyOn(slow, 'query').mockImplementation(later as never)
  const { on, events } = consumer.unwrap<Consumer>()
  on(events.START_BATCH_PROCESS, ({ payload }: ConsumerStartBatchProcessEvent) => {
    if (payload.partition === PARTITION) isFetched(BigInt(payload.firstOffset))
  })
  return fetched
}

describe('a batch consumer', () => {
  it('is not ready before it has joined its group, and then reads in order', async () => {
    const { health } = start()
    expect(health.ready()).toHaveProperty('kafka consumer')
    await publish(['a', 'b'])
    await publish(['c'])
    await expectApplied('a', 'b', 'c')
    expect(health.ready()).toEqual({})
  })

  it('begins at the fence even if the group offset is ahead, as after a restore from a backup', async () => {
    const first = await publish(['0', '1', '2', '3'])
    const before = start()
    await expectApplied('0', '1', '2', '3')
    await untilReported(first + 4n)
    running.splice(0)
    await before.stop()
    await database.query('TRUNCATE applied')
    await database.query('UPDATE consumed_offset SET next_offset = $1 WHERE partition = $2', [first + 2n, PARTITION])
    await publish(['4', '5'])
    expect(await startFetchingFirst()).toBe(first + 4n)
    await eventually(async () => expect((await applied(database)).at(-1)).toBe('5'))
    expect(await applied(database)).toEqual(['2', '3', '4', '5'])
  })

  it('pauses at the end of a log and then reads all new messages together', async () => {
    const batches: number[] = []
    const handle: BatchHandler = (batch) => {
      batches.push(batch.messages.length)
      return writeApplied(mark)(batch)
    }
    const values = Array.from({ length: 40 }, (_, index) => `${index}`)
    start(handle, database, { pauseAtEnd: 400 })
    const from = performance.now()
    for (const value of values) {
      await publish([value])
      await delay(25)
    }
    await expectApplied(...values)
    // Without pauses, nearly every message is a batch.
    expect(batches.length).toBeLessThanOrEqual((performance.now() - from) / 400 + 2)
  })

  it('reads a partition without a position in the database from its beginning', async () => {
    await publish(['a'])
    await database.query('DELETE FROM consumed_offset')
    start()
    await expectApplied('a')
  })

  it('ignores tombstones', async () => {
    await publish([null, 'a', null, 'b', null])
    start()
    await expectApplied('a', 'b')
    expect((await database.query('SELECT * FROM dead_letter')).rows).toEqual([])
  })

  it('reports its position to Kafka, for monitoring', async () => {
    const first = await publish(['a', 'b'])
    start()
    await untilReported(first + 2n)
  })

  it('reads a topic from the beginning when its position is beyond the end of the log', async () => {
    const { stop } = start()
    await publish(['a'])
    await expectApplied('a')
    running.splice(0)
    await stop()
    await database.query('UPDATE consumed_offset SET next_offset = next_offset + 1000000')
    await publish(['b'])
    start()
    await eventually(async () => {
      const { rows } = await database.query(`SELECT DISTINCT value FROM applied WHERE value = 'b'`)
      expect(rows).toHaveLength(1)
    })
  })

  it('reads a topic from the beginning once more while the service asks for it', async () => {
    const { stop } = start()
    await publish(['a'])
    await expectApplied('a')
    running.splice(0)
    await stop()
    start(writeApplied(mark), database, { readAgain: async () => [topic] })
    await expectApplied('a', 'a')
  })

  it('reads its topics although it has the position of a topic that was deleted', async () => {
    await database.query('INSERT INTO consumed_offset VALUES ($1, $2, 0, 1)', [group, 'connectivity.retired.v1'])
    start()
    await publish(['a'])
    await expectApplied('a')
  })

  it('survives a database outage: nothing lost, nothing twice, no dead letter', async () => {
    const { path: proxy, url: throughProxy } = await NetworkPath.before(url)
    const behindProxy = openDatabase(throughProxy)
    let seen = 0
    const { joins, stop } = start(async (batch) => {
      await writeApplied(mark)(batch)
      seen++
    }, behindProxy)
    await publish(['a'])
    await expectApplied('a')
    const before = seen
    proxy.cut()
    await publish(['b', 'c'])
    await database.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    )
    await publish(['d'])
    expect(seen).toBe(before)
    proxy.restore()
    await expectApplied('a', 'b', 'c', 'd')
    expect((await database.query('SELECT * FROM dead_letter')).rows).toEqual([])
    expect(joins()).toBe(1)
    running.splice(0)
    await stop()
    await behindProxy.close()
    proxy.close()
  })

  it('hands its partitions over when it stops, and the next member continues at its position', async () => {
    const first = start()
    await publish(['a'])
    await expectApplied('a')
    running.splice(0)
    await first.stop()
    await publish(['b'])
    start()
    await expectApplied('a', 'b')
  })

  it('waits for a fence that a zombie holds for longer than a session, without leaving the group', async () => {
    expect(await besideZombie).toEqual({ applied: ['a', 'b'], joins: 1 })
  })
})
