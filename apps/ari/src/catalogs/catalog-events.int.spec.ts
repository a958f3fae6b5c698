import { catalogEventType, type ConnectionCatalog } from '@connectivity/contracts/catalog-events'
import { cloudEventText } from '@connectivity/contracts/cloud-event'
import type { Database } from '@connectivity/database'
import { TopicBatch } from '@connectivity/kafka/consuming'
import { messages } from '@connectivity/testing/messages'
import { ariDatabase, type AriDatabase } from '../../test/ari-database.js'
import { CatalogEventsConsumer } from './catalog-events.consumer.js'
import { CatalogStore } from './catalog.store.js'

const consumer = new CatalogEventsConsumer(new CatalogStore())
let ari: AriDatabase
let database: Database

beforeAll(async () => {
  ari = await ariDatabase()
  database = ari.connect()
})
afterAll(() => ari.end())
beforeEach(() => database.query('TRUNCATE catalog'))

const catalog = (catalog_version: number, connection_id = 'con_1'): ConnectionCatalog => ({
  connection_id,
  property_id: 'prop_1',
  catalog_version,
  property_version: 1,
  mapping_version: 0,
  external_property_id: 'PMS-100',
  name: 'Harbour "Hotel" 😀',
  timezone: 'Europe/Berlin',
  currency: 'EUR',
  country: 'DE',
  rooms: [],
  rate_plans: [],
})

const consume = (...catalogs: ConnectionCatalog[]) =>
  database.transaction(async (tx) => {
    const event = {
      id: '1',
      source: '/catalog',
      type: catalogEventType,
      subject: 'con_1',
      time: '2026-11-20T10:00:00Z',
    }
    const values = catalogs.map((data) => cloudEventText(event, JSON.stringify(data)))
    await consumer.handle(new TopicBatch('connectivity.catalogs.v1', 0, messages(values), tx))
  })

async function stored(): Promise<ConnectionCatalog[]> {
  const { rows } = await database.query<{ catalog: string }>('SELECT catalog FROM catalog ORDER BY connection_id')
  return rows.map((row) => JSON.parse(row.catalog) as ConnectionCatalog)
}

it("keeps the highest version of each connection's catalog in any order of arrival", async () => {
  await consume(catalog(2), catalog(1), catalog(1, 'con_2'))
  await consume(catalog(1))
  await consume({ ...catalog(2), name: 'a repeated version' })
  expect(await stored()).toEqual([catalog(2), catalog(1, 'con_2')])
  await consume(catalog(4), catalog(3))
  expect(await stored()).toEqual([catalog(4), catalog(1, 'con_2')])
})
