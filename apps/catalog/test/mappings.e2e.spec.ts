import { randomUUID } from 'node:crypto'
import type { MappingList, MappingWrite } from '@connectivity/contracts/mappings'
import { connectionEvent, propertyEvent, ratePlan, room } from '@connectivity/testing/events'
import { eventually } from '@connectivity/testing/eventually'
import { type CatalogProcess, catalogProcess } from './catalog-process.js'

let catalog: CatalogProcess
let connectionId: string
let propertyId: string
beforeAll(async () => {
  catalog = await catalogProcess()
})
afterAll(() => catalog.end())

const rooms = [room({ room_id: 'r1', name: 'One' }), room({ room_id: 'r2', name: 'Two' })]
const snapshot = (given: object = {}) =>
  propertyEvent({ property_id: propertyId, rooms, rate_plans: [ratePlan({ rate_plan_id: 'p1' })], ...given })

beforeEach(async () => {
  const run = randomUUID().slice(0, 8)
  connectionId = `con_${run}`
  propertyId = `prop_${run}`
  await connect(connectionId, 'sandbox')
  await catalog.publish('booking.properties.v1', propertyId, snapshot())
  await eventually(async () => expect((await list()).unmapped).toHaveLength(3))
  await eventually(async () => expect(await published()).not.toEqual([]))
})

const connect = (id: string, environment: 'sandbox' | 'production') =>
  catalog.publish(
    'connectivity.connections.v1',
    id,
    connectionEvent({ connection_id: id, property_id: propertyId, environment }),
  )
const path = () => `/properties/${connectionId}/mappings`
const read = (headers = {}) => catalog.call(connectionId, 'GET', path(), { headers })
const list = async () => (await read()).body as MappingList
const item = (service_id: string, external_id: string | null, entity_type: string = 'room') => ({
  entity_type,
  service_id,
  external_id,
})
const write = (mappings: unknown[], more: object = {}, key?: string | null) =>
  catalog.call(connectionId, 'POST', path(), { body: { mappings, ...more }, ...(key === undefined ? {} : { key }) })

/** Room ids in the catalogs published for the connection so far, oldest first: from the outbox and from Kafka. */
async function published(): Promise<(string | null)[][]> {
  const { rows } = await catalog.sql.query<{ catalog_version: string }>(
    'SELECT catalog_version FROM catalog_version WHERE connection_id = $1',
    [connectionId],
  )
  return rows.map(({ catalog_version }) => [catalog_version])
}

describe('mappings', () => {
  it('begin with the property itself and everything else unmapped', async () => {
    const { status, body, headers } = await read()
    expect(status).toBe(200)
    expect(body).toEqual({
      schema_version: '1.0.0',
      property_id: connectionId,
      external_property_id: 'PMS-100',
      mapping_version: expect.any(Number),
      mappings: [{ entity_type: 'property', service_id: connectionId, external_id: 'PMS-100' }],
      unmapped: [
        { entity_type: 'room', service_id: 'r1', name: 'One' },
        { entity_type: 'room', service_id: 'r2', name: 'Two' },
        { entity_type: 'rate_plan', service_id: 'p1', name: 'Flexible' },
      ],
    })
    expect(headers.get('etag')).toBe(`"map-${(body as { mapping_version: number }).mapping_version}"`)
  })

  it('are written, answered as they are read, and published', async () => {
    const [before] = await published()
    const first = await read()
    const { status, body, headers } = await write([item('r1', ' DBL '), item('p1', 'BAR', 'rate_plan')])
    expect(status).toBe(200)
    expect(body).toMatchObject({
      changed: 2,
      mappings: [{}, item('r1', 'DBL'), item('p1', 'BAR', 'rate_plan')],
      unmapped: [{ service_id: 'r2' }],
    })
    const after = await read({ 'if-none-match': first.headers.get('etag')! })
    expect({ ...(after.body as object), changed: 2 }).toEqual(body)
    expect(after.headers.get('etag')).toBe(headers.get('etag'))
    expect((await read({ 'if-none-match': headers.get('etag')! })).status).toBe(304)
    expect(await published()).toEqual([[String(Number(before![0]) + 1)]])
  })

  it('keep their version and tag when nothing changes, and nothing is published', async () => {
    const { headers } = await write([item('r1', 'A')])
    const before = await published()
    const again = await write([item('r1', 'A'), item('r2', null)])
    expect(again.body).toMatchObject({ changed: 0 })
    expect(again.headers.get('etag')).toBe(headers.get('etag'))
    expect(await published()).toEqual(before)
  })

  it('get another tag when there are new entities to map', async () => {
    const { headers } = await read()
    await catalog.publish(
      'booking.properties.v1',
      propertyId,
      snapshot({ version: 2, rooms: [...rooms, room({ room_id: 'r3' })] }),
    )
    await eventually(async () => expect((await read({ 'if-none-match': headers.get('etag')! })).status).toBe(200))
  })

  it.each([
    [[item('gone', 'A')], 404, 'entity_not_found'],
    [[item('r1', 'A'), item('r2', 'A')], 409, 'mapping_conflict'],
    [[item('r1', 'A', 'property')], 400, 'invalid_request'],
    [[item('r1', 'A'), item('r1', 'B')], 400, 'invalid_request'],
    [[], 400, 'invalid_request'],
    [[item('r1', 'A'), item('gone', null)], 404, 'entity_not_found'],
    [[item('r1', 'A'), item('p1', 'B')], 404, 'entity_not_found'],
    [[item('gone', 'A'), item('r1', 'A'), item('r2', 'A')], 404, 'entity_not_found'],
    [[item('r1', '')], 400, 'invalid_request'],
    [[item('r1', '\u2003\ufeff')], 400, 'invalid_request'],
    [[item('r1', 'a\tb')], 400, 'invalid_request'],
    [[item('r1', 'a\u007fb')], 400, 'invalid_request'],
    [[item('r1', 7 as never)], 400, 'invalid_request'],
    [[item('', 'A')], 400, 'invalid_request'],
    [[item('a'.repeat(129), 'A')], 400, 'invalid_request'],
    [[item('r1', ' ')], 400, 'invalid_request'],
    [[item('r1', 'a'.repeat(129))], 400, 'invalid_request'],
    [[item('r1', 'a\u0085b')], 400, 'invalid_request'],
    [[{ entity_type: 'room', service_id: 'r1' }], 400, 'invalid_request'],
    [[{ ...item('r1', 'A'), more: 1 }], 400, 'invalid_request'],
    [Array.from({ length: 501 }, (_, index) => item(`x${index}`, null)), 400, 'invalid_request'],
  ])('refuse %j and change nothing', async (mappings: Partial<MappingWrite>[] | unknown[], status, code) => {
    const before = (await read()).body
    const answer = await write([item('p1', 'KEEP', 'rate_plan'), ...mappings].slice(mappings.length === 0 ? 1 : 0))
    expect([answer.status, (answer.body as { error: { code: string } }).error.code]).toEqual([status, code])
    expect((await read()).body).toEqual(before)
  })

  it('accept 128 code points and any letter case', async () => {
    const id = '😀'.repeat(128)
    expect((await write([item('r1', id), item('r2', 'a')])).status).toBe(200)
    expect((await write([item('r1', 'A')])).body).toMatchObject({ changed: 1 })
  })

  it('are not overwritten by a caller that has not read the current version', async () => {
    const version = ((await read()).body as { mapping_version: number }).mapping_version
    expect((await write([item('r1', 'A')], { expected_version: version + 1 })).body).toMatchObject({
      error: { code: 'version_conflict' },
    })
    expect((await write([item('r1', 'A')], { expected_version: version })).status).toBe(200)
  })

  it('of production connections are provisioned by operations', async () => {
    const production = `${connectionId}_p`
    await connect(production, 'production')
    const target = `/properties/${production}/mappings`
    await eventually(async () => {
      const answer = await catalog.call(production, 'POST', target, { body: { mappings: [item('r1', 'A')] } })
      expect(answer).toMatchObject({ status: 403, body: { error: { code: 'mapping_write_forbidden' } } })
    })
  })
})

describe("operators' mappings", () => {
  const target = (id = connectionId) => `/ops/v1/connections/${id}/mappings`
  const put = (mappings: unknown[], more: object = {}, headers = {}) =>
    catalog.operate('PUT', target(), { mappings, reason: 'ticket 1', ...more }, headers)

  it("are written like a partner's, and leave an entry for the audit when anything changes", async () => {
    const { status, body, headers, entry } = await put([item('r1', ' DBL '), item('r2', null)])
    expect(status).toBe(200)
    expect(body).toMatchObject({ changed: 1, mappings: [{}, item('r1', 'DBL')] })
    expect(headers.get('etag')).toBe((await read()).headers.get('etag'))
    expect(entry).toMatchObject({
      id: expect.stringMatching(/^aud_/),
      action: 'connection.mappings',
      reason: 'ticket 1',
    })
    const again = await put([item('r1', 'DBL')])
    expect(again.body).toMatchObject({ changed: 0 })
    expect(again.entry).toBeNull()
  })

  it('may belong to a production connection', async () => {
    connectionId = `${connectionId}_p`
    await connect(connectionId, 'production')
    expect((await put([item('r1', 'A')])).body).toMatchObject({ changed: 1 })
  })

  it('reach a connection that has not arrived at the catalog yet', async () => {
    connectionId = `${connectionId}_n`
    const write = put([item('r1', 'A')])
    await connect(connectionId, 'production')
    expect((await write).status).toBe(200)
    connectionId = 'con_nobody'
    expect(await put([item('r1', 'A')])).toMatchObject({ status: 503, body: { error: { retry_after_seconds: 1 } } })
  })

  it("follow the partner's rules, and need a reason", async () => {
    expect((await put([item('r1', 'A')], { expected_version: 999 })).body).toMatchObject({
      error: { code: 'version_conflict' },
    })
    expect((await put([item('gone', 'A')])).status).toBe(404)
    expect((await put([item('r1', 'A')], { reason: undefined })).body).toMatchObject({
      error: { details: [{ pointer: '/reason', code: 'missing' }] },
    })
    expect((await put([item('r1', 'A')], { reason: ' ' })).status).toBe(400)
    expect((await put([item('r1', 'A')], { more: 1 })).status).toBe(400)
  })

  it('are written once for a key, which is optional', async () => {
    const [first, again] = [
      await put([item('r1', 'A')], {}, { 'idempotency-key': 'k' }),
      await put([item('r1', 'A')], {}, { 'idempotency-key': 'k' }),
    ]
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true'])
    expect(again.entry).toBeNull()
    const other = await put([item('r1', 'B')], {}, { 'idempotency-key': 'k' })
    expect(other.body).toMatchObject({ error: { code: 'idempotency_key_reused' } })
  })

  it('cannot be written by anyone else', async () => {
    const asPartner = await catalog.call(connectionId, 'POST', path(), {
      body: { mappings: [item('r1', 'A')], reason: 'r' },
    })
    expect(asPartner.status).toBe(400)
    const headers = { 'x-internal-identity': 'forged' }
    expect((await catalog.operate('PUT', target(), {}, headers)).status).toBe(401)
  })
})

describe('a repeated write', () => {
  it('gets the first answer byte for byte, even after later changes', async () => {
    const first = await write([item('r1', 'A')], {}, 'one')
    await write([item('r1', 'B')], {}, 'two')
    const again = await write([item('r1', 'A')], {}, '"one"')
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([200, first.text, 'true'])
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'))
    expect((await read()).body).toMatchObject({ mappings: [{}, { external_id: 'B' }] })
  })

  it('is refused with another body, and without a key', async () => {
    await write([item('r1', 'A')], {}, 'one')
    expect((await write([item('r1', 'B')], {}, 'one')).body).toMatchObject({
      error: { code: 'idempotency_key_reused' },
    })
    expect((await write([item('r1', 'B')], {}, null)).body).toMatchObject({
      error: { code: 'idempotency_key_required' },
    })
  })

  it('has one effect when it is sent 30 times at once', async () => {
    const before = Number((await published())[0]![0])
    const answers = await Promise.all(Array.from({ length: 30 }, () => write([item('r1', 'A')], {}, 'same')))
    const codes = new Set(answers.map(({ status }) => status))
    expect([...codes].every((status) => status === 200 || status === 409)).toBe(true)
    expect((await write([item('r1', 'A')], {}, 'same')).headers.get('idempotent-replayed')).toBe('true')
    expect(Number((await published())[0]![0])).toBe(before + 1)
  })

  it('gets the answer stored with the effect, even after a crash', async () => {
    const attempt = write([item('r1', 'CRASH')], {}, 'crash').catch(() => null)
    await eventually(async () => {
      const { rows } = await catalog.sql.query('SELECT 1 FROM mapping WHERE connection_id = $1', [connectionId])
      expect(rows).toHaveLength(1)
    })
    await catalog.service.kill()
    await attempt
    await catalog.service.start()
    const again = await write([item('r1', 'CRASH')], {}, 'crash')
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
    expect(again.body).toMatchObject({ changed: 1 })
  })
})
