import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Database } from '@connectivity/database'
import { applyBatch } from '@connectivity/kafka/consuming'
import { propertyEvent } from '@connectivity/testing/events'
import { PropertyEventsConsumer } from '../src/partner/properties/property-events.consumer.js'
import { GatewayUnderTest } from './gateway-under-test.js'

const script = fileURLToPath(new URL('../../../tools/ops/ops.ts', import.meta.url))
const reason = 'ticket 4711'
const warning = {
  code: 'unknown_property',
  pointer: '/source_property_id',
  message: expect.stringContaining('check the id'),
}

describe('a connection to a property that no snapshot has named', () => {
  const gateway = new GatewayUnderTest()
  let application_id: string
  let offset = 0
  beforeAll(async () => {
    await gateway.start()
    application_id = await gateway.approvedApplication()
  })
  afterAll(() => gateway.stop())

  const connect = (source_property_id: string, key: string) => {
    const body = { application_id, source_property_id, external_property_id: 'PMS', environment: 'sandbox', reason }
    return gateway.ops('POST', '/connections', body, { 'idempotency-key': key })
  }
  const move = async (id: string, to: string) =>
    (await gateway.ops('POST', `/connections/${id}/transitions`, { to, reason })).json.warnings
  const shown = async (id: string) => (await gateway.ops('GET', `/connections/${id}`)).json.warnings
  const listed = async (source: string) => {
    const { json } = await gateway.ops('GET', `/connections?source_property_id=${source}`)
    return (json.connections as { warnings: object[] }[]).map(({ warnings }) => warnings)
  }
  const snapshotArrives = (property_id: string) => {
    const fence = { group: 'gateway', topic: 'booking.properties.v1', partition: 0 }
    const message = {
      offset: BigInt(offset++),
      key: Buffer.from(property_id),
      value: Buffer.from(propertyEvent({ property_id })),
    }
    const database = gateway.app.get(Database, { strict: false })
    const consumer = gateway.app.get(PropertyEventsConsumer, { strict: false })
    return applyBatch(database, fence, [message], (batch) => consumer.handle(batch))
  }
  const ops = async (...args: string[]) => {
    const OPS_TOKEN = await gateway.staff.token(['connectivity:operate'])
    const env = { PATH: process.env.PATH, OPS_URL: gateway.privateOrigin, OPS_TOKEN }
    return (await promisify(execFile)(process.execPath, [script, ...args], { env })).stdout
  }

  it('gets a warning that every answer shows until the snapshot arrives, and that no audit entry keeps', async () => {
    const created = await connect('prop_late', 'late')
    expect(created).toMatchObject({ status: 201, json: { state: 'provisioning', warnings: [warning] } })
    const id = created.json.property_id as string
    expect([await shown(id), await listed('prop_late'), await move(id, 'pilot')]).toEqual([
      [warning],
      [[warning]],
      [warning],
    ])
    await snapshotArrives('prop_other')
    expect(await shown(id)).toEqual([warning])
    await snapshotArrives('prop_late')
    expect([await shown(id), await listed('prop_late'), await move(id, 'disabled')]).toEqual([[], [[]], []])
    const repeated = await connect('prop_late', 'late')
    expect([repeated.headers['idempotent-replayed'], repeated.text]).toEqual(['true', created.text])
    expect((await gateway.ops('GET', `/audit?subject=${id}`)).text).not.toContain('unknown_property')
  })

  it('gets no warning when the snapshot came first', async () => {
    await snapshotArrives('prop_early')
    expect(await connect('prop_early', 'early')).toMatchObject({ status: 201, json: { warnings: [] } })
  })

  it('is marked by the command line too, alone and in lists', async () => {
    const { property_id } = (await connect('prop_typo', 'typo')).json
    const alone = await ops('connections', 'show', property_id as string)
    expect(alone).toMatch(/\n\nWARNING unknown_property \(\/source_property_id\): .*check the id.*\n$/)
    expect(alone).not.toMatch(/^warnings/m)
    const list = await ops('connections', 'list', '--source-property-id', 'prop_typo')
    expect(list).toMatch(/STATE +WARNINGS\n.* provisioning +unknown_property\n$/)
    await snapshotArrives('prop_typo')
    expect(await ops('connections', 'show', property_id as string)).not.toContain('WARNING')
    expect(await ops('connections', 'list', '--source-property-id', 'prop_typo')).toMatch(/ provisioning +–\n$/)
  })
})
