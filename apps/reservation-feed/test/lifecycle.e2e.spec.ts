import { randomUUID } from 'node:crypto'
import { eventually } from '@connectivity/testing/eventually'
import { freePort } from '@connectivity/testing/free-port'
import { Client } from 'pg'
import { type FeedProcess, feedProcess } from './feed-process.js'

let feed: FeedProcess
beforeAll(async () => {
  feed = await feedProcess()
  await haveOneReservation()
})
afterAll(() => feed.end())

const run = randomUUID().slice(0, 8)
const [connectionId, propertyId] = [`con_${run}`, `prop_${run}`]
const query = `property_id=${connectionId}`
const probe = async (path: string, url = feed.service.url) => (await fetch(`${url}${path}`)).status

async function haveOneReservation(): Promise<void> {
  await feed.announce({ connection_id: connectionId, property_id: propertyId })
  await feed.book([{ property_id: propertyId, reservation_id: `${run}-1` }])
  await eventually(async () => expect((await feed.page(connectionId, query)).page.reservations).toHaveLength(1))
}

describe('an orderly stop', () => {
  it('takes no new requests, finishes those in progress, and ends by itself without an error', async () => {
    const other = new Client({ connectionString: feed.databaseUrl })
    await other.connect()
    await other.query('BEGIN; LOCK TABLE feed_row IN ACCESS EXCLUSIVE MODE')
    const inFlight = feed.page(connectionId, query)
    const waiting = `SELECT FROM pg_locks WHERE relation = 'feed_row'::regclass AND NOT granted
                        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
    await eventually(async () => expect((await other.query(waiting)).rowCount).toBeGreaterThan(0))
    const stopped = feed.service.stop()
    await eventually(() => expect(probe('/health/ready')).rejects.toThrow('fetch failed'))
    await other.query('ROLLBACK')
    expect((await inFlight).page.reservations).toHaveLength(1)
    await stopped
    await other.end()
    expect(feed.service.log).toContain('"msg":"stopping"')
    expect(feed.service.log.split('\n').filter((line) => /"level":[56]0/.test(line))).toEqual([])
    expect(feed.service.exitCode).toBe(0)
  })
})

describe('a stop with time to drain', () => {
  it('still serves while not ready, and closes every connection after its answer', async () => {
    const draining = feed.another({ DRAIN_SECONDS: '3' })
    await draining.start()
    const serving = await fetch(`${draining.url}/health/ready`)
    expect([serving.status, serving.headers.get('connection')]).toEqual([200, 'keep-alive'])
    const stopped = draining.stop()
    await eventually(async () => expect(await probe('/health/ready', draining.url)).toBe(503))
    const { headers } = await fetch(`${draining.url}/health/ready`)
    expect(headers.get('connection')).toBe('close')
    const { status, page } = await feed.page(connectionId, query, draining.url)
    expect([status, page.reservations.length]).toEqual([200, 1])
    await stopped
    expect(draining.exitCode).toBe(0)
  })
})

describe('while the broker is unavailable', () => {
  it('a feed that has consumed before is ready and serves; one that never has is alive and not ready', async () => {
    await feed.service.stop()
    const nobody = `127.0.0.1:${await freePort()}`
    const cutOff = feed.another({ KAFKA_BROKERS: nobody })
    await cutOff.start()
    expect((await feed.page(connectionId, query, cutOff.url)).page.reservations).toHaveLength(1)
    expect([await probe('/health/ready', cutOff.url), await probe('/health/live', cutOff.url)]).toEqual([200, 200])
    await cutOff.kill()
    await feed.sql.query('DELETE FROM consumed_offset')
    const fresh = feed.another({ KAFKA_BROKERS: nobody })
    fresh.start().catch(() => undefined)
    await eventually(async () => expect(await probe('/health/ready', fresh.url)).toBe(503))
    expect(await probe('/health/live', fresh.url)).toBe(200)
    await fresh.kill()
  })
})
