import { randomUUID } from 'node:crypto'
import { eventually } from '@connectivity/testing/eventually'
import { PartnerInterface } from '../partner-interface.mjs'
import { ExampleReceiver, startSystem } from './system.js'

const event = (propertyId: string, sequence: number, type = 'reservation.created') => ({
  schema_version: '1.0.0',
  event_id: `evt_${randomUUID().replaceAll('-', '')}`,
  type,
  property_id: propertyId,
  external_property_id: 'PMS-100',
  sequence,
  occurred_at: '2026-11-20T10:00:00.000Z',
  reservation_id: 'RSV-1001',
  data: { reservation: { guest: { last_name: 'Lovelace' } }, previous_status: null, changes: [] },
})

describe('the example receiver', () => {
  let system: Awaited<ReturnType<typeof startSystem>>
  let receiver: ExampleReceiver | undefined
  beforeAll(async () => {
    system = await startSystem()
  })
  afterAll(async () => {
    await receiver?.stop()
    await system?.stop()
  })

  it('registers, verifies and acknowledges events, and misses none while it is stopped', async () => {
    const { propertyId, clientId, clientSecret } = await system.connect()
    const settings = {
      BASE_URL: system.baseUrl,
      PROPERTY_ID: propertyId,
      CLIENT_ID: clientId,
      CLIENT_SECRET: clientSecret,
    }
    const partner = new PartnerInterface({ baseUrl: system.baseUrl, propertyId, clientId, clientSecret })
    const printed = (text: string) => eventually(() => expect(receiver!.output).toContain(text))

    receiver = new ExampleReceiver(settings)
    await printed(`for ${propertyId}; waiting for events`)
    const first = event(propertyId, 1)
    await system.publish(first)
    await printed(`reservation.created RSV-1001 #1 processed\nacknowledged ${first.event_id}`)
    expect(await partner.call('POST', `/properties/${propertyId}/callback/test`, { key: randomUUID() })).toMatchObject({
      status: 200,
      body: { delivered: true, status: 204, error: null },
    })
    await printed('test event evt_')

    await receiver.stop()
    const [second, third] = [
      event(propertyId, 2, 'reservation.modified'),
      event(propertyId, 3, 'reservation.cancelled'),
    ]
    await system.publish(second)
    await system.publish(third)
    receiver = new ExampleReceiver(settings)
    await printed(`#3 processed`)
    expect(receiver.output).toMatch(/reservation\.modified RSV-1001 #2 processed[^]*reservation\.cancelled RSV-1001 #3/)
    for (const { event_id } of [second, third]) await printed(`acknowledged ${event_id}`)
    const index = await partner.call('GET', `/reservations/events?property_id=${propertyId}`)
    expect(
      index.body.events.map((one: { acknowledgement: { outcome: string } }) => one.acknowledgement.outcome),
    ).toEqual(['processed', 'processed', 'processed'])
    for (const secret of ['Lovelace', clientSecret, 'whsec_']) expect(system.logs()).not.toContain(secret)
  })

  it('rejects requests that are not signed with its secret', async () => {
    const [, url] = /registered (\S+) for/.exec(receiver!.output)!
    const send = (headers: Record<string, string>) => fetch(url!, { method: 'POST', body: '{"type":"x"}', headers })
    expect((await send({})).status).toBe(401)
    const now = String(Math.floor(Date.now() / 1000))
    expect((await send({ 'service-event-id': 'e', 'service-signature': `t=${now},v1=${'0'.repeat(64)}` })).status).toBe(
      401,
    )
  })
})
