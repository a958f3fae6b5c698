import { Database } from '@connectivity/database'
import { migrate } from '@connectivity/database/migrate'
import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import { catalog } from '@connectivity/testing/catalog'
import { connection } from '@connectivity/testing/events'
import { ConnectionStore, topicsToReadAgain } from '../src/connections/connection.store.js'
import { FeedFactsStore } from '../src/connections/feed-facts.store.js'
import { DeliveryStatus1796200000000 } from '../src/migrations/1796200000000-delivery-status.js'
import { migrations } from '../src/migrations/migrations.js'
import { DeliveryStatusStore } from '../src/delivery-status/delivery-status.store.js'

const before = migrations.slice(0, migrations.indexOf(DeliveryStatus1796200000000))
const STAMP = Date.parse('2026-11-20T10:15:30.123Z')

let server: TestDatabase
let database: Database
beforeAll(async () => {
  server = await createDatabase()
  const options = { url: server.url, applicationName: 'test', migrations }
  await migrate({ ...options, migrations: before })
  database = new Database(options)
  await database.query(
    `INSERT INTO feed_connection (connection_id, property_id, external_property_id, connection_version, state, last_stamp, catalog)
     VALUES ('con_old', 'prop_1', 'PMS', 3, 'live', $1, $2), ('con_empty', 'prop_1', 'PMS', 3, 'live', 0, $2),
            ('con_closed', 'prop_1', 'PMS', 4, 'closed', $1, NULL)`,
    [STAMP, JSON.stringify(catalog({ timezone: 'Europe/Berlin' }))],
  )
  await database.query(
    `INSERT INTO feed_row (connection_id, reservation_id, stamp, kind, body) VALUES ('con_old', 'R1', $1, 'reservation', '{}')`,
    [STAMP],
  )
  for (const topic of ['connectivity.connections.v1', 'booking.reservations.v1'])
    await database.query(`INSERT INTO consumed_offset VALUES ('reservation-feed', $1, 0, 7)`, [topic])
  await migrate(options)
})
afterAll(async () => {
  await database.close()
  await server.drop()
})

describe('the upgrade of connections that polled before polls were noted', () => {
  it('starts them at their last stamp', async () => {
    const facts = await new FeedFactsStore(database).of(['con_old', 'con_empty', 'con_closed'])
    expect(facts.map(({ connectionId, processedTo, waiting }) => [connectionId, processedTo, waiting]).sort()).toEqual([
      ['con_closed', null, 0],
      ['con_empty', null, 0],
      ['con_old', STAMP, 0],
    ])
  })

  it('knows their time zones, and reads their states from the topic once more', async () => {
    const store = new DeliveryStatusStore()
    expect(await store.find(database, 'con_old')).toMatchObject({ timezone: 'Europe/Berlin' })
    expect(await store.find(database, 'con_closed')).toMatchObject({ timezone: '' })
    const { rows } = await database.query('SELECT topic FROM consumed_offset')
    expect(rows).toEqual([{ topic: 'booking.reservations.v1' }])
  })

  it('reads them again until they are known, as a build before this one may have moved the position', async () => {
    expect(await topicsToReadAgain(database)).toEqual(['connectivity.connections.v1'])
    const known = ['con_old', 'con_empty'].map((connection_id) => connection({ connection_id, version: 3 }))
    await database.transaction((tx) => new ConnectionStore().save(tx, known))
    expect(await topicsToReadAgain(database)).toEqual([])
  })
})
