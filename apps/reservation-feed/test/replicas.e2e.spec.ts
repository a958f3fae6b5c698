import { randomUUID } from 'node:crypto'
import type { DeliveryStatus } from '@connectivity/contracts/delivery-status'
import { brokerWire } from '@connectivity/testing/broker-wire'
import { eventually } from '@connectivity/testing/eventually'
import type { ServiceProcess } from '@connectivity/testing/service-process'
import { type FeedProcess, feedProcess } from './feed-process.js'

/** More than two chunks of a redelivery. */
const BOOKINGS = 500
const CHECK_IN = { check_in: '2027-03-01', check_out: '2027-03-03' }

let feed: FeedProcess
beforeAll(async () => {
  feed = await feedProcess()
})
afterAll(() => feed.end())

/** A connection with a feed of this many reservations. */
async function connected(count: number, url?: string) {
  const run = randomUUID().slice(0, 8)
  const [connectionId, propertyId] = [`con_${run}`, `prop_${run}`]
  await feed.announce({ connection_id: connectionId, property_id: propertyId })
  const book = (from: number, to: number) =>
    feed.book(
      Array.from({ length: to - from }, (_, index) => ({
        ...CHECK_IN,
        ...{ property_id: propertyId, reservation_id: `${run}-${from + index}` },
      })),
    )
  const rows = async () => {
    const text = 'SELECT reservation_id, stamp::float8 AS stamp FROM feed_row WHERE connection_id = $1'
    return (await feed.sql.query<{ reservation_id: string; stamp: number }>(text, [connectionId])).rows
  }
  await book(0, count)
  await eventually(async () => expect(await rows()).toHaveLength(count))
  await eventually(async () =>
    expect((await feed.page(connectionId, `property_id=${connectionId}`, url)).status).toBe(200),
  )
  return { connectionId, book, rows }
}

/** Redeliveries received on Kafka, by reservation. */
async function redelivered(connectionId: string) {
  const count = new Map<string, number>()
  const consumer = feed.kafka.consumer({ groupId: `test-${randomUUID()}`, maxWaitTimeInMs: 100 })
  await consumer.connect()
  await consumer.subscribe({ topics: ['connectivity.reservation-events.v1'], fromBeginning: true })
  const seen = new Set<string>()
  await consumer.run({
    eachMessage: async ({ message: { key, value } }) => {
      if (key?.toString() !== connectionId) return
      const { id, type, data } = JSON.parse(value!.toString()) as { id: string; type: string; data: Sent }
      if (type !== 'reservation.modified' || data.data.changes.length > 0 || seen.has(id)) return
      seen.add(id)
      count.set(data.reservation_id, (count.get(data.reservation_id) ?? 0) + 1)
    },
  })
  return { count, stop: () => consumer.disconnect() }
}

interface Sent {
  reservation_id: string
  data: { changes: string[] }
}

describe('two processes of the feed', () => {
  it('never show less progress than one of them has shown', async () => {
    const other = feed.another({ INSTANCE_NAME: 'reservation-feed-2' })
    await other.start()
    const { connectionId, rows } = await connected(8)
    const query = `property_id=${connectionId}`
    const shown: number[] = []
    const stamps = (await rows()).map(({ stamp }) => stamp).toSorted((a, b) => a - b)
    for (const stamp of stamps) {
      await feed.page(connectionId, `${query}&updated_since=${new Date(stamp).toISOString()}`)
      for (const { url } of [feed.service, other]) {
        const { body } = await feed.get(connectionId, '/reservations/status', query, {}, url)
        shown.push(Date.parse((body as DeliveryStatus).processed_to!))
      }
    }
    expect(shown).toEqual(stamps.flatMap((stamp) => [stamp, stamp]))
    await other.stop()
  })

  it('deliver again what each was asked for at the same time, each reservation once for each order', async () => {
    const other = feed.another({ INSTANCE_NAME: 'reservation-feed-2' })
    await other.start()
    const { connectionId, rows } = await connected(BOOKINGS)
    const before = Math.max(...(await rows()).map(({ stamp }) => stamp))
    const order = (at: ServiceProcess) =>
      feed.operate(
        'POST',
        `/ops/v1/connections/${connectionId}/redeliver`,
        { check_in_from: CHECK_IN.check_in, reason: 'both at once' },
        {},
        at.url,
      )
    const accepted = { status: 202, body: { reservations: BOOKINGS } }
    expect(await Promise.all([feed.service, other].map(order))).toMatchObject([accepted, accepted])
    await eventually(async () => expect((await feed.sql.query('SELECT FROM redelivery_chunk')).rowCount).toBe(0))
    const after = await rows()
    expect(after).toHaveLength(BOOKINGS)
    expect(Math.min(...after.map(({ stamp }) => stamp))).toBeGreaterThan(before)
    const { count, stop } = await redelivered(connectionId)
    await eventually(() => expect([count.size, new Set(count.values())]).toEqual([BOOKINGS, new Set([2])]))
    await stop()
    await other.stop()
  })
})

describe('a process of the feed whose broker vanishes', () => {
  it('continues by itself when it is back', async () => {
    await feed.service.stop()
    const { proxy, preloaded } = await brokerWire(process.env.KAFKA_BROKERS!)
    const cuttable = feed.another({}, [preloaded])
    await cuttable.start()
    const { book, rows } = await connected(20, cuttable.url)
    const before = cuttable.log.length
    proxy.cut()
    await book(20, 40)
    await eventually(() => expect(cuttable.log.slice(before)).toMatch(/Connection error/))
    expect(await rows()).toHaveLength(20)
    proxy.restore()
    await eventually(async () => expect(await rows()).toHaveLength(40))
    await eventually(async () => expect((await feed.sql.query('SELECT FROM outbox')).rowCount).toBe(0))
    expect(cuttable.exitCode).toBeNull()
    await cuttable.stop()
    proxy.close()
  })
})
