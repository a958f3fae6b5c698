import { topics } from '@connectivity/contracts/topics'
import type { MappingList } from '@connectivity/contracts/mappings'
import { connectionEvent, propertyEvent, room } from '@connectivity/testing/events'
import { type CatalogInProcess, catalogInProcess } from './catalog-in-process.js'

const ROOMS = 40
/** Too little for the longest ids of all rooms. */
const LEFT = 30_000

let catalog: CatalogInProcess
beforeAll(async () => {
  catalog = await catalogInProcess()
})
afterAll(() => catalog.end())

const path = '/properties/con_1/mappings'
const idOf = (index: number) => `rm_${index}`
const map = (length: number) =>
  catalog.call('con_1', 'POST', path, {
    body: {
      mappings: Array.from({ length: ROOMS }, (_, index) => ({
        ...{ entity_type: 'room', service_id: idOf(index) },
        external_id: '😀'.repeat(length) + index,
      })),
    },
  })

describe('ids that make the catalog larger than a message may be', () => {
  it('are refused, and shorter ones are taken', async () => {
    const rooms = Array.from({ length: ROOMS }, (_, index) => room({ room_id: idOf(index) }))
    const name = 'x'.repeat(topics['connectivity.catalogs.v1'].maxMessageBytes - LEFT)
    await catalog.publish('connectivity.connections.v1', connectionEvent({ environment: 'sandbox' }))
    await catalog.publish('booking.properties.v1', propertyEvent({ name, rooms }))
    expect(await map(120)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request', details: [{ pointer: '/mappings', code: 'invalid_value' }] } },
    })
    const { mappings } = (await catalog.call('con_1', 'GET', path)).body as MappingList
    expect(mappings).toHaveLength(1)
    expect(await map(10)).toMatchObject({ status: 200, body: { changed: ROOMS } })
  })
})
