import { ConnectionStore } from '@connectivity/connections'
import { type ConnectionCatalog, parseCatalogEvent } from '@connectivity/contracts/catalog-events'
import { type ConsumedTopic, topics } from '@connectivity/contracts/topics'
import { Database } from '@connectivity/database'
import { migrate } from '@connectivity/database/migrate'
import type { BatchHandler } from '@connectivity/kafka/consuming'
import { applyIsolated } from '@connectivity/kafka/test/apply-isolated'
import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import { connectionEvent, propertyEvent, room } from '@connectivity/testing/events'
import { eventually } from '@connectivity/testing/eventually'
import { messages } from '@connectivity/testing/messages'
import { CatalogPublisher } from './catalogs/catalog.publisher.js'
import { CatalogVersionStore } from './catalogs/catalog-version.store.js'
import { ConnectionCatalogs } from './catalogs/connection-catalogs.service.js'
import { ConnectionEventsConsumer } from './intake/connection-events.consumer.js'
import { MappingStore } from './mappings/mapping.store.js'
import { migrations } from './migrations/migrations.js'
import { PropertyEventsConsumer } from './intake/property-events.consumer.js'
import { PropertyStore } from './properties/property.store.js'

const versions = new CatalogVersionStore()
const catalogs = new ConnectionCatalogs(versions, new MappingStore(), new CatalogPublisher())
const stores = [new PropertyStore(), new ConnectionStore()] as const
const handlers: Partial<Record<ConsumedTopic, BatchHandler>> = {
  'booking.properties.v1': (batch) => new PropertyEventsConsumer(...stores, versions, catalogs).handle(batch),
  'connectivity.connections.v1': (batch) => new ConnectionEventsConsumer(...stores, versions, catalogs).handle(batch),
}

let server: TestDatabase
let database: Database
let group = 0

beforeAll(async () => {
  server = await createDatabase()
  const options = { url: server.url, applicationName: 'test', migrations }
  await migrate(options)
  database = new Database(options)
})
afterAll(async () => {
  await database.close()
  await server.drop()
})
beforeEach(async () => {
  await database.query('TRUNCATE property, connection, catalog_version, mapping, outbox, consumed_offset, dead_letter')
})

/** Hands one batch to the topic's consumer, as a separate partition. */
const consume = async (topic: ConsumedTopic, values: readonly string[]): Promise<void> => {
  const fence = { group: `catalog-${group++}`, topic, partition: group }
  await applyIsolated(database, fence, messages(values), handlers[topic]!)
}
const consumeProperties = (...values: string[]) => consume('booking.properties.v1', values)
const consumeConnections = (...values: string[]) => consume('connectivity.connections.v1', values)

async function published(): Promise<ConnectionCatalog[]> {
  const { rows } = await database.query<{ key: string; value: string }>(
    `SELECT key, value FROM outbox WHERE topic = 'connectivity.catalogs.v1' ORDER BY id`,
  )
  return rows.map(({ value }) => parseCatalogEvent(Buffer.from(value)))
}

const facts = ({ connection_id, catalog_version, property_version, rooms }: ConnectionCatalog) => ({
  connection_id,
  catalog_version,
  property_version,
  rooms: rooms.map(({ service_id, status }) => `${service_id} ${status}`),
})

describe('catalogs', () => {
  const arrivals = [
    () => consumeConnections(connectionEvent(), connectionEvent({ connection_id: 'con_2' })),
    () => consumeProperties(propertyEvent()),
  ]

  it.each([
    ['connections first', arrivals],
    ['property first', arrivals.toReversed()],
  ])('are published once per connection, %s', async (_order, steps) => {
    for (const step of steps) await step()
    const expected = { catalog_version: 1, property_version: 1, rooms: ['rm_double active'] }
    expect((await published()).map(facts)).toEqual([
      { connection_id: 'con_1', ...expected },
      { connection_id: 'con_2', ...expected },
    ])
  })

  it('are not published again by a replay of both topics', async () => {
    const connections = [connectionEvent(), connectionEvent({ version: 2, state: 'disabled' })]
    const properties = [1, 2, 3].map((version) => propertyEvent({ version, rooms: version === 2 ? [] : [room()] }))
    await consumeConnections(...connections)
    for (const event of properties) await consumeProperties(event)
    const before = await stored()
    expect((await published()).map(facts).map(({ rooms }) => rooms)).toEqual([
      ['rm_double active'],
      ['rm_double archived'],
      ['rm_double active'],
    ])
    for (const event of [...properties, ...properties.toReversed()]) await consumeProperties(event)
    await consumeConnections(...connections, ...connections)
    expect(await stored()).toEqual(before)
  })

  const stored = async () =>
    Promise.all(
      ['property', 'connection', 'catalog_version', 'outbox'].map(
        async (table) => (await database.query(`SELECT * FROM ${table} ORDER BY 1`)).rows,
      ),
    )

  it('stay as they are when a snapshot or a connection changes nothing in them', async () => {
    await consumeConnections(connectionEvent())
    await consumeProperties(propertyEvent())
    await consumeProperties(propertyEvent({ version: 2 }))
    await consumeConnections(connectionEvent({ version: 2, state: 'production' }))
    expect(await published()).toHaveLength(1)
    await consumeConnections(connectionEvent({ connection_id: 'con_2' }))
    expect((await published()).slice(1)).toMatchObject([{ connection_id: 'con_2', property_version: 2 }])
  })

  it('combine versions that arrive together, also of connections', async () => {
    await consumeConnections(connectionEvent({ version: 2, state: 'production' }), connectionEvent())
    await consumeProperties(...[1, 2, 3].map((version) => propertyEvent({ version, name: `Name ${version}` })))
    expect(await published()).toMatchObject([{ catalog_version: 1, property_version: 3, name: 'Name 3' }])
    const { rows } = await database.query('SELECT state, version FROM connection')
    expect(rows).toEqual([{ state: 'production', version: '2' }])
  })

  it("show the partner's ids where they are mapped", async () => {
    await database.query(`INSERT INTO mapping VALUES ('con_1', 'room', 'rm_double', 'DBL')`)
    await consumeConnections(connectionEvent())
    await consumeProperties(propertyEvent())
    expect((await published())[0]!.rooms[0]).toMatchObject({ service_id: 'rm_double', external_id: 'DBL' })
  })

  it('handle a batch of 500 properties with several connections each', async () => {
    const ids = Array.from({ length: 500 }, (_, index) => `prop_${index}`)
    await consumeProperties(...ids.map((property_id) => propertyEvent({ property_id })))
    const connections = ids.flatMap((property_id) =>
      ['a', 'b'].map((name) => connectionEvent({ property_id, connection_id: `con_${property_id}_${name}` })),
    )
    await consumeConnections(...connections.slice(0, 500))
    await consumeConnections(...connections.slice(500))
    expect(await published()).toHaveLength(1_000)
  })

  it('of a property as large as its topic accepts are published with the longest partner ids', async () => {
    const rooms = Array.from({ length: 4_800 }, (_, index) => room({ room_id: `rm_${index}` }))
    const event = propertyEvent({ rooms })
    const most = topics['booking.properties.v1'].maxMessageBytes
    expect(Buffer.byteLength(event)).toBeGreaterThan(most * 0.85)
    expect(Buffer.byteLength(event)).toBeLessThan(most)
    await consumeConnections(connectionEvent())
    await database.query(
      `INSERT INTO mapping (connection_id, entity_type, service_id, external_id)
       SELECT 'con_1', 'room', 'rm_' || n, repeat('😀', 122) || n FROM generate_series(0, 4799) n`,
    )
    await consumeProperties(event)
    const { rows } = await database.query<{ bytes: number }>(
      `SELECT octet_length(value) AS bytes FROM outbox WHERE topic = 'connectivity.catalogs.v1'`,
    )
    expect(rows).toHaveLength(1)
    expect(rows[0]!.bytes).toBeGreaterThan(2 * most)
  })

  it('too large for their topic make the snapshot a dead letter and leave its neighbours alone', async () => {
    const rooms = Array.from({ length: 4_000 }, (_, index) => room({ room_id: `rm_${index}`, name: 'x'.repeat(2_000) }))
    await consumeConnections(connectionEvent(), connectionEvent({ connection_id: 'con_2', property_id: 'prop_2' }))
    await consumeProperties(propertyEvent({ rooms }), propertyEvent({ property_id: 'prop_2' }))
    expect((await published()).map(({ connection_id }) => connection_id)).toEqual(['con_2'])
    const { rows } = await database.query('SELECT reason FROM dead_letter')
    expect(rows).toEqual([{ reason: expect.stringContaining('larger than a message may be') }])
  })
})

describe('properties and connections that change at the same time', () => {
  const properties = ['prop_1', 'prop_2', 'prop_3']
  const rounds = 12

  async function changeProperties(order: readonly string[]): Promise<void> {
    for (let version = 1; version <= rounds; version++) {
      const events = order.map((property_id) => propertyEvent({ property_id, version, name: `Name ${version}` }))
      // Retries like the consumer when another transaction holds a lock for too long.
      await eventually(() => consumeProperties(...events))
    }
  }

  async function addConnections(name: string, order: readonly string[]): Promise<void> {
    for (let round = 0; round < rounds; round++) {
      const events = order.map((property_id) =>
        connectionEvent({ property_id, connection_id: `con_${name}_${property_id}_${round}` }),
      )
      await eventually(() => consumeConnections(...events))
    }
  }

  it('never miss each other, and each connection gets its catalogs in order without gaps', async () => {
    await Promise.all([
      changeProperties(properties),
      changeProperties(properties.toReversed()),
      addConnections('a', properties),
      addConnections('b', properties.toReversed()),
    ])
    const byConnection = Map.groupBy(await published(), ({ connection_id }) => connection_id)
    expect(byConnection.size).toBe(2 * rounds * properties.length)
    for (const catalogs of byConnection.values()) {
      expect(catalogs.at(-1)!.property_version).toBe(rounds)
      expect(catalogs.map(({ catalog_version }) => catalog_version)).toEqual(catalogs.map((_, index) => index + 1))
    }
  })
})
