import { randomUUID } from 'node:crypto'
import type { CloudEvent } from '@connectivity/contracts/cloud-event'
import type { DeliveryRisk } from '@connectivity/contracts/delivery-risks'
import type { DeliveryStatus } from '@connectivity/contracts/delivery-status'
import type { ConnectionFactsAnswer } from '@connectivity/contracts/operators-api'
import { eventually } from '@connectivity/testing/eventually'
import { connectionEvent } from '@connectivity/testing/events'
import { Client } from 'pg'
import { type FeedProcess, feedProcess } from './feed-process.js'

const run = randomUUID().slice(0, 8)
const [connectionId, propertyId] = [`con_${run}`, `prop_${run}`]
const query = `property_id=${connectionId}`
const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
const dayAfter = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10)

let feed: FeedProcess
let reader: ReturnType<FeedProcess['kafka']['consumer']>
const risks: { key: string; event: CloudEvent<DeliveryRisk> }[] = []
beforeAll(async () => {
  feed = await feedProcess({ RISK_WAIT_SECONDS: '2' })
  reader = feed.kafka.consumer({ groupId: `test-${run}`, maxWaitTimeInMs: 100 })
  await reader.connect()
  await reader.subscribe({ topics: ['connectivity.delivery-risks.v1'], fromBeginning: true })
  await reader.run({
    eachMessage: async ({ message: { key, value } }) =>
      void risks.push({ key: String(key), event: JSON.parse(String(value)) as CloudEvent<DeliveryRisk> }),
  })
  const given = { connection_id: connectionId, property_id: propertyId }
  const value = connectionEvent({ ...given, environment: 'production', state: 'production' })
  await feed.publish('connectivity.connections.v1', [{ key: connectionId, value }])
  await feed.announce(given)
  await eventually(async () => {
    const { rows } = await feed.sql.query('SELECT state, environment FROM feed_connection')
    expect(rows).toEqual([{ state: 'live', environment: 'production' }])
  })
})
afterAll(async () => {
  await reader.disconnect()
  await feed.end()
})

const status = async () => (await feed.get(connectionId, '/reservations/status', query)).body as DeliveryStatus
const facts = async () => {
  const path = `/ops/v1/connection-facts?connection_ids=${connectionId}`
  return ((await feed.operate('GET', path)).body as ConnectionFactsAnswer).facts[0]!
}
const operatorsStatus = async (id: string) => {
  const { status, body } = await feed.operate('GET', `/ops/v1/connections/${id}/delivery-status`)
  return { status, body }
}
const metric = async (name: string) => {
  const text = await (await fetch(`${feed.service.url}/metrics`)).text()
  return Number(new RegExp(`^${name}\\{environment="production"\\} (\\d+)$`, 'm').exec(text)?.[1])
}
const poll = (more = '', headers = {}) => feed.get(connectionId, '/reservations', query + more, headers)
const book = (id: string, version = 1) =>
  feed.book([
    { property_id: propertyId, reservation_id: `${run}-${id}`, version, check_in: tomorrow, check_out: dayAfter },
  ])

describe('a partner that stops polling', () => {
  it('is at risk in its status, the overview, the metrics and on Kafka, until it has polled again', async () => {
    expect((await poll()).status).toBe(200)
    await book('1')
    await eventually(async () => expect((await status()).at_risk).toHaveLength(1))
    expect((await status()).at_risk).toMatchObject([
      { reservation_id: `${run}-1`, check_in: tomorrow, status: 'confirmed' },
    ])
    await eventually(() => expect(risks).toHaveLength(1))
    expect(risks[0]).toMatchObject({
      key: propertyId,
      event: {
        type: 'connectivity.delivery.at_risk',
        subject: propertyId,
        data: { connection_id: connectionId, waiting: 1, at_risk: 1, earliest_check_in: tomorrow },
      },
    })
    expect(await facts()).toMatchObject({ processed_to: '1970-01-01T00:00:00.000Z', waiting: 1, at_risk: 1 })
    expect(await operatorsStatus(connectionId)).toEqual({ status: 200, body: await status() })
    expect((await operatorsStatus('con_unknown')).status).toBe(404)
    await eventually(async () => expect(await metric('connectivity_feed_reservations_at_risk')).toBe(1))
    // A page that was served is not processed yet.
    const { headers } = await poll()
    expect((await status()).at_risk).toHaveLength(1)
    await poll(`&updated_since=${headers.get('service-checkpoint')}`)
    expect(await status()).toMatchObject({ waiting: 0, at_risk: [] })
    await eventually(() => expect(risks).toHaveLength(2))
    expect(risks[1]!.event).toMatchObject({
      type: 'connectivity.delivery.recovered',
      data: { waiting: 0, at_risk: 0, oldest_waiting_at: null, earliest_check_in: null },
    })
    expect(await facts()).toMatchObject({ waiting: 0, at_risk: 0 })
    await eventually(async () => expect(await metric('connectivity_feed_reservations_at_risk')).toBe(0))
  })
})

describe('the lag of the feed behind the log', () => {
  const lag = async (headers = {}) => Number((await poll('', headers)).headers.get('service-lag-ms'))

  it('is 0 at the end of the log, on 304 too', async () => {
    await eventually(async () => expect(await lag()).toBe(0))
    const tag = (await poll()).headers.get('etag')!
    const unchanged = await poll('', { 'if-none-match': tag })
    expect([unchanged.status, unchanged.headers.get('service-lag-ms')]).toEqual([304, '0'])
  })

  it('grows while the projection is stuck, and is 0 again once it has caught up', async () => {
    const other = new Client({ connectionString: feed.databaseUrl })
    await other.connect()
    await other.query('BEGIN; LOCK TABLE booking IN ACCESS EXCLUSIVE MODE')
    await book('2')
    await eventually(async () => expect(await lag()).toBeGreaterThan(2_000))
    const before = await lag()
    await eventually(async () => expect(await lag()).toBeGreaterThan(before + 1_000))
    await other.query('ROLLBACK')
    await other.end()
    await eventually(async () => expect(await lag()).toBe(0))
  })
})
