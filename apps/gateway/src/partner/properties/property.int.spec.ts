import type { ConnectionCatalog } from '@connectivity/contracts/catalog-events'
import { cloudEventText } from '@connectivity/contracts/cloud-event'
import { Database } from '@connectivity/database'
import { migrate } from '@connectivity/database/migrate'
import { TopicBatch } from '@connectivity/kafka/consuming'
import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import { messages } from '@connectivity/testing/messages'
import { migrations } from '../../migrations/migrations.js'
import { EvidenceStore } from '../../registry/production/evidence.store.js'
import { CatalogEventsConsumer } from './catalog-events.consumer.js'
import { PropertyStore } from './property.store.js'
import { ReservationEventsConsumer } from './reservation-events.consumer.js'

const envelope = { id: 'e', source: '/catalog', type: 't', subject: 's', time: '2026-11-20T10:00:00.000Z' }
const text = (data: object) => cloudEventText(envelope, JSON.stringify(data))
const entity = (service_id: string, external_id: string | null, status = 'active') => ({
  service_id,
  external_id,
  status,
})

const catalog = (
  given: Partial<Omit<ConnectionCatalog, 'rooms' | 'rate_plans'>> & { rooms?: object[]; rate_plans?: object[] } = {},
) =>
  text({
    connection_id: 'con_1',
    property_id: 'prop_1',
    catalog_version: 1,
    property_version: 1,
    mapping_version: 3,
    external_property_id: 'PMS-100',
    name: 'Harbour Hotel',
    timezone: 'Europe/Berlin',
    currency: 'EUR',
    country: 'DE',
    rooms: [entity('rm_1', 'A'), entity('rm_2', null), entity('rm_3', 'C', 'archived')],
    rate_plans: [entity('rp_1', null)],
    ...given,
  })

describe("the gateway's copy of properties", () => {
  let test: TestDatabase
  let database: Database
  let store: PropertyStore

  beforeAll(async () => {
    test = await createDatabase()
    const options = { url: test.url, applicationName: 'test', migrations }
    await migrate(options)
    database = new Database(options)
    store = new PropertyStore(database)
    await database.query(`INSERT INTO application VALUES ('app_1', 'PMS', 'Ada', 'a@b.c', 'approved', '{}', now())`)
    await database.query(
      `INSERT INTO connection VALUES ('con_1', 'app_1', 'prop_1', 'AGREED', 'sandbox', 'pilot', null, null, null, now(), 1)`,
    )
  })

  afterAll(async () => {
    await database.close()
    await test.drop()
  })

  const consume = (consumer: { handle(batch: TopicBatch): Promise<void> }, values: (string | Buffer)[]) =>
    database.transaction(async (tx) => {
      const batch = new TopicBatch('topic', 0, messages(values), tx)
      await consumer.handle(batch)
      return batch.deadLetters
    })
  const catalogEvents = () => new CatalogEventsConsumer(store, new EvidenceStore(database))
  const shown = async () => (await store.assigned('app_1', null))[0]!

  it('is empty before the first catalog', async () => {
    expect(await shown()).toMatchObject({
      name: null,
      external_property_id: 'AGREED',
      mapping_version: 1,
      rooms_total: 0,
    })
  })

  it('counts active entities and mapped ones', async () => {
    await consume(catalogEvents(), [catalog()])
    expect(await shown()).toMatchObject({
      external_property_id: 'PMS-100',
      name: 'Harbour Hotel',
      timezone: 'Europe/Berlin',
      currency: 'EUR',
      country: 'DE',
      mapping_version: 3,
      rooms_mapped: 1,
      rooms_total: 2,
      rate_plans_mapped: 0,
      rate_plans_total: 1,
    })
  })

  it('follows the highest version, inside a batch and across batches', async () => {
    const consumer = catalogEvents()
    await consume(consumer, [
      catalog({ catalog_version: 5, name: 'Five' }),
      catalog({ catalog_version: 4, name: 'Four' }),
    ])
    await consume(consumer, [catalog({ catalog_version: 3, name: 'Three' })])
    expect((await shown()).name).toBe('Five')
  })

  it('notifies every replica that the connection changed', async () => {
    const session = await database.session()
    const heard = new Promise((resolve) => session.once('notification', ({ payload }) => resolve(payload)))
    await session.query('LISTEN gateway_changes')
    await consume(catalogEvents(), [catalog({ catalog_version: 6 })])
    expect(await heard).toBe('connection con_1')
    await session.end()
  })

  it('sets aside messages that are not catalogs and takes the others of the batch', async () => {
    const deadLetters = await consume(catalogEvents(), ['no json', catalog({ catalog_version: 7, name: 'Seven' })])
    expect(deadLetters).toHaveLength(1)
    expect((await shown()).name).toBe('Seven')
  })

  it('keeps texts as they are, empty ones and separators too', async () => {
    const texts = { name: 'Harbour\x1fHotel', timezone: '', currency: '\x1e', country: '"DE"' }
    expect(await consume(catalogEvents(), [catalog({ catalog_version: 8, ...texts })])).toEqual([])
    expect(await shown()).toMatchObject(texts)
  })

  describe('of a mapping that was read complete', () => {
    const evidence = () => new EvidenceStore(database)
    const verified = async () => (await evidence().of(database, 'con_1')).has('mappings_verified')
    const complete = { rooms: [entity('rm_1', 'A')], rate_plans: [] }

    it('forgets it when a later version has unmapped entities, and accepts no older reading', async () => {
      await consume(catalogEvents(), [catalog({ catalog_version: 20, mapping_version: 20, ...complete })])
      await evidence().recordCompleteMapping('con_1', 20, 'cor_1')
      await consume(catalogEvents(), [catalog({ catalog_version: 21, mapping_version: 20, ...complete })])
      expect(await verified()).toBe(true)
      await consume(catalogEvents(), [catalog({ catalog_version: 22, mapping_version: 21 })])
      expect(await verified()).toBe(false)
      await evidence().recordCompleteMapping('con_1', 20, 'cor_2')
      expect(await verified()).toBe(false)
    })

    it('keeps a reading that is newer than the known catalog', async () => {
      await evidence().recordCompleteMapping('con_1', 22, 'cor_3')
      await consume(catalogEvents(), [catalog({ catalog_version: 23, mapping_version: 21 })])
      expect(await verified()).toBe(true)
    })
  })

  it('remembers the latest change of a connection', async () => {
    const change = (occurred_at: string) => text({ property_id: 'con_1', occurred_at })
    const consumer = new ReservationEventsConsumer(store)
    await consume(consumer, [change('2026-11-20T10:00:00.002Z'), change('2026-11-20T10:00:00.001Z')])
    await consume(consumer, [change('2026-11-19T10:00:00.000Z'), 'no json'])
    expect((await shown()).last_change_at).toEqual(new Date('2026-11-20T10:00:00.002Z'))
  })
})
