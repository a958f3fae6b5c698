import { randomUUID } from 'node:crypto'
import type { RatePlanList, RoomList } from '@connectivity/contracts/catalog-lists'
import { connectionEvent, propertyEvent, ratePlan, room } from '@connectivity/testing/events'
import { type CatalogInProcess, catalogInProcess } from './catalog-in-process.js'

let catalog: CatalogInProcess
let connectionId: string
let propertyId: string
beforeAll(async () => {
  catalog = await catalogInProcess()
})
afterAll(() => catalog.end())
beforeEach(() => {
  const run = randomUUID().slice(0, 8)
  connectionId = `con_${run}`
  propertyId = `prop_${run}`
})

const connect = (id = connectionId) =>
  catalog.publish(
    'connectivity.connections.v1',
    connectionEvent({ connection_id: id, property_id: propertyId, environment: 'sandbox' }),
  )
const snapshot = (given: Parameters<typeof propertyEvent>[0]) =>
  catalog.publish('booking.properties.v1', propertyEvent({ property_id: propertyId, ...given }))
const ask = (noun: 'rooms' | 'rate-plans', headers = {}, id = connectionId) =>
  catalog.call(id, 'GET', `/catalog/${noun}?property_id=${id}`, { headers })
const rooms = async (id = connectionId) => ((await ask('rooms', {}, id)).body as RoomList).rooms
const ratePlans = async () => ((await ask('rate-plans')).body as RatePlanList).rate_plans
const map = (id: string, service_id: string, external_id: string, entity_type = 'room') =>
  catalog.call(id, 'POST', `/properties/${id}/mappings`, {
    body: { mappings: [{ entity_type, service_id, external_id }] },
  })

describe('the rooms of a property', () => {
  it('are empty before its first snapshot, and then all listed with exactly the published fields', async () => {
    await connect()
    const before = await ask('rooms')
    expect(before).toMatchObject({
      status: 200,
      text: `{"schema_version":"1.0.0","property_id":"${connectionId}","rooms":[]}`,
    })
    const dorm = { room_id: 'r2', kind: 'dorm' as const, beds_per_unit: 8, bed_type: null }
    await snapshot({ rooms: [room({ room_id: 'r1' }), room(dorm)], rate_plans: [] })
    expect(await rooms()).toHaveLength(2)
    await map(connectionId, 'r1', 'DBL')
    const { body } = await ask('rooms')
    expect(body).toEqual({
      schema_version: '1.0.0',
      property_id: connectionId,
      rooms: [
        {
          service_id: 'r1',
          external_id: 'DBL',
          name: 'Double',
          kind: 'private',
          total_units: 10,
          beds_per_unit: null,
          bed_type: 'double',
          occupancy: { base: 2, max: 2, max_adults: 2, max_children: 1 },
          status: 'active',
          updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        },
        expect.objectContaining({
          service_id: 'r2',
          external_id: null,
          kind: 'dorm',
          beds_per_unit: 8,
          bed_type: null,
        }),
      ],
    })
  })

  it('stay listed as archived when a snapshot no longer has them', async () => {
    await connect()
    await snapshot({ rooms: [room({ room_id: 'r1' }), room({ room_id: 'r2' })] })
    expect(await rooms()).toHaveLength(2)
    const [first, second] = await rooms()
    await snapshot({ version: 2, rooms: [room({ room_id: 'r1' })] })
    expect((await rooms())[1]).toMatchObject({ service_id: 'r2', status: 'archived' })
    const [still, archived] = await rooms()
    expect(still).toEqual(first)
    expect(archived!.updated_at > second!.updated_at).toBe(true)
  })

  it('have the ids of the calling connection', async () => {
    const other = `${connectionId}_2`
    await connect()
    await connect(other)
    await snapshot({ rooms: [room({ room_id: 'r1' })] })
    for (const id of [connectionId, other]) expect(await rooms(id)).toHaveLength(1)
    await map(other, 'r1', 'THEIRS')
    expect([(await rooms())[0]!.external_id, (await rooms(other))[0]!.external_id]).toEqual([null, 'THEIRS'])
  })

  it('may number a thousand', async () => {
    await connect()
    const thousand = Array.from({ length: 1000 }, (_, index) =>
      room({ room_id: `room-${index}`, name: `Room ${index}` }),
    )
    await snapshot({ rooms: thousand, rate_plans: [ratePlan({ room_ids: thousand.map(({ room_id }) => room_id) })] })
    expect(await rooms()).toHaveLength(1000)
    expect((await ratePlans())[0]!.room_service_ids).toHaveLength(1000)
  })
})

describe('the rate plans of a property', () => {
  it('say how they are priced, what they derive from and whether rates can be written', async () => {
    await connect()
    await snapshot({
      rooms: [room({ room_id: 'r1' })],
      rate_plans: [
        ratePlan({ rate_plan_id: 'bar', room_ids: ['r1'], occupancies: [1, 2] }),
        ratePlan({ rate_plan_id: 'per', room_ids: ['r1'], pricing_model: 'per_occupancy', occupancies: [1, 2] }),
        ratePlan({
          rate_plan_id: 'nrf',
          room_ids: ['r1'],
          derived_from: { rate_plan_id: 'bar', type: 'percent', value: '-10.50' },
        }),
        ratePlan({ rate_plan_id: 'old', room_ids: ['r1'], status: 'archived' }),
      ],
    })
    expect(await ratePlans()).toHaveLength(4)
    await map(connectionId, 'bar', 'BAR', 'rate_plan')
    const [bar, ...others] = await ratePlans()
    expect(bar).toEqual({
      service_id: 'bar',
      external_id: 'BAR',
      name: 'Flexible',
      room_service_ids: ['r1'],
      currency: 'EUR',
      pricing_model: 'per_room',
      occupancies: null,
      derived_from: null,
      writable: true,
      meal_plan: null,
      refundable: true,
      tax_inclusive: true,
      status: 'active',
      updated_at: expect.any(String),
    })
    expect(others).toMatchObject([
      { service_id: 'per', pricing_model: 'per_occupancy', occupancies: [1, 2], writable: true },
      { service_id: 'nrf', derived_from: { service_id: 'bar', type: 'percent', value: '-10.50' }, writable: false },
      { service_id: 'old', status: 'archived', writable: false },
    ])
  })
})

describe('the tag of a list', () => {
  it('is unique to the list, saves the body, and changes with the catalog and with the mapping', async () => {
    await connect()
    const empty = (await ask('rooms')).headers.get('etag')!
    await snapshot({ rooms: [room({ room_id: 'r1' })] })
    expect(await rooms()).toHaveLength(1)
    const first = (await ask('rooms')).headers.get('etag')!
    expect(first).not.toBe(empty)
    const unchanged = await ask('rooms', { 'if-none-match': `"x", W/${first}` })
    expect([unchanged.status, unchanged.text, unchanged.headers.get('etag')]).toEqual([304, '', first])
    expect((await ask('rate-plans', { 'if-none-match': first })).status).toBe(200)
    await map(connectionId, 'r1', 'DBL')
    const second = await ask('rooms', { 'if-none-match': first })
    expect(second.status).toBe(200)
    await snapshot({ version: 2, rooms: [room({ room_id: 'r1', name: 'Renamed' })] })
    const tag = second.headers.get('etag')!
    expect((await ask('rooms', { 'if-none-match': tag })).status).toBe(200)
  })

  it('differs for a mapping that was read before the connection arrived', async () => {
    await snapshot({ rooms: [room({ room_id: 'r1' })] })
    const mappings = (headers = {}) =>
      catalog.call(connectionId, 'GET', `/properties/${connectionId}/mappings`, { headers })
    const early = (await mappings()).headers.get('etag')!
    await connect()
    expect((await mappings({ 'if-none-match': early })).status).toBe(200)
  })
})

describe('the requested connection', () => {
  it('must be named once, and equal the one in the identity', async () => {
    const status = async (query: string) => (await catalog.call(connectionId, 'GET', `/catalog/rooms${query}`)).status
    expect(await status('')).toBe(400)
    expect(await status(`?property_id=${connectionId}&property_id=${connectionId}`)).toBe(400)
    expect(await status('?property_id=con_other')).toBe(403)
  })
})
