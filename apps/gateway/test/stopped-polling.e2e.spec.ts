import { randomUUID } from 'node:crypto'
import type { CloudEvent } from '@connectivity/contracts/cloud-event'
import type { DeliveryRisk } from '@connectivity/contracts/delivery-risks'
import { suiteKafka } from '@connectivity/kafka/test/suite-kafka'
import { eventually } from '@connectivity/testing/eventually'
import { GatewayUnderTest } from './gateway-under-test.js'
import type { Partner } from './partner.js'
import { RealFeed } from './real-feed.js'

const DAY = 86_400_000
const dayIn = (days: number): string => new Date(Date.now() + days * DAY).toISOString().slice(0, 10)
/** Seconds. */
const WAIT = 2

describe('a partner that stops polling', () => {
  const feed = new RealFeed()
  const gateway = new GatewayUnderTest()
  const risks: { key: string; event: CloudEvent<DeliveryRisk> }[] = []
  let reader: ReturnType<Awaited<ReturnType<typeof suiteKafka>>['consumer']>
  let connection: string
  let partner: Partner

  beforeAll(async () => {
    await gateway.start({ RESERVATION_FEED_URL: await feed.start({ RISK_WAIT_SECONDS: '2' }) })
    reader = (await suiteKafka()).consumer({ groupId: `test-${randomUUID()}`, maxWaitTimeInMs: 100 })
    await reader.connect()
    await reader.subscribe({ topics: ['connectivity.delivery-risks.v1'], fromBeginning: true })
    await reader.run({
      eachMessage: async ({ message: { key, value } }) =>
        void risks.push({ key: String(key), event: JSON.parse(String(value)) as CloudEvent<DeliveryRisk> }),
    })
    connection = await gateway.pilotConnection(await gateway.approvedApplication())
    partner = gateway.partner(await gateway.signingKey(connection))
    await feed.announce([connection])
    await book('RSV-0')
    await eventually(async () => expect(await poll()).toContain('RSV-0'))
    await acknowledge()
  })
  afterAll(async () => {
    await reader.disconnect()
    await gateway.stop()
    await feed.stop()
  })

  const book = (reservation_id: string) =>
    feed.book({ reservation_id, property_id: 'prop_1', check_in: dayIn(1), check_out: dayIn(2) })
  const page = (query = '') => partner.get(`/reservations?property_id=${connection}${query}`)
  const poll = async () => (await page()).text
  const checkpoint = async () => (await page()).headers['service-checkpoint'] as string
  /** Polls from after the checkpoint of the last page, and so acknowledges the page. */
  const acknowledge = async (more = '') => {
    const from = new Date(Date.parse(await checkpoint()) + 1).toISOString()
    expect((await page(`&updated_since=${from}${more}`)).status).toBe(200)
  }
  const status = async () => (await partner.get(`/reservations/status?property_id=${connection}`)).json
  const overview = async () => {
    const { json } = await gateway.ops('GET', '/overview')
    return (json.connections as { needs: string[]; feed: { at_risk: number; waiting: number } }[])[0]!
  }

  it('is at risk in the overview and on Kafka, until it polls from after its checkpoint', async () => {
    await book('RSV-1')
    await eventually(async () =>
      expect(await overview()).toMatchObject({ needs: ['at_risk'], feed: { waiting: 1, at_risk: 1 } }),
    )
    await eventually(() => expect(risks).toHaveLength(1))
    expect(risks[0]).toMatchObject({
      key: 'prop_1',
      event: { type: 'connectivity.delivery.at_risk', data: { connection_id: connection, at_risk: 1 } },
    })

    // A served change is not processed yet: a later round counts RSV-1 beside RSV-2.
    expect(await poll()).toContain('RSV-1')
    await book('RSV-2')
    await eventually(async () => expect(await overview()).toMatchObject({ feed: { waiting: 2, at_risk: 2 } }))
    await eventually(async () => expect(await poll()).toContain('RSV-2'))
    expect(risks).toHaveLength(1)

    await acknowledge()
    await eventually(async () =>
      expect(await overview()).toMatchObject({ needs: [], feed: { waiting: 0, at_risk: 0 } }),
    )
    await eventually(() => expect(risks).toHaveLength(2))
    expect(risks[1]!.event).toMatchObject({ type: 'connectivity.delivery.recovered', data: { at_risk: 0 } })
  })

  it('has processed a page once its next request is answered, even if that request waits', async () => {
    await book('RSV-3')
    await eventually(async () => expect(await poll()).toContain('RSV-3'))
    const before = await status()
    const askedAt = Date.now()
    await acknowledge(`&wait=${WAIT}`)
    const after = await status()
    expect(after.processed_to).toBe(await checkpoint())
    expect((after.processed_to as string) > (before.processed_to as string)).toBe(true)
    expect(Date.parse(after.processed_at as string) - askedAt).toBeGreaterThan(WAIT * 1_000 - 100)
  })
})
