import { Database } from '@connectivity/database'
import { migrate } from '@connectivity/database/migrate'
import { TopicBatch } from '@connectivity/kafka/consuming'
import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import { connection, connectionEvent } from '@connectivity/testing/events'
import { messages } from '@connectivity/testing/messages'
import { connectionTable } from '@connectivity/testing/tables'
import { ConnectionEventsConsumer } from './connection-events.consumer.js'
import { ConnectionStore } from './connection.store.js'

class Connections1795000000000 {
  async up(runner: { query: (sql: string) => Promise<unknown> }): Promise<void> {
    await runner.query(connectionTable)
  }

  async down(): Promise<void> {}
}

const store = new ConnectionStore()
const consumer = new ConnectionEventsConsumer(store)
let server: TestDatabase
let database: Database

beforeAll(async () => {
  server = await createDatabase()
  const options = { url: server.url, applicationName: 'test', migrations: [Connections1795000000000] }
  await migrate(options)
  database = new Database(options)
})
afterAll(async () => {
  await database.close()
  await server.drop()
})
beforeEach(() => database.query('TRUNCATE connection'))

const consume = (...values: string[]) =>
  database.transaction(async (tx) => {
    const batch = new TopicBatch('connectivity.connections.v1', 0, messages(values), tx)
    await consumer.handle(batch)
    return batch.deadLetters.map(({ reason }) => reason)
  })
const stored = () => database.transaction((tx) => store.ofProperties(tx, ['prop_1', 'prop_2']))

describe("a service's copy of the connections", () => {
  it('holds the connections that the gateway published', async () => {
    const second = { connection_id: 'con_2', property_id: 'prop_2', external_property_id: 'a\x1f"é😀' }
    await consume(
      connectionEvent(),
      connectionEvent(second),
      connectionEvent({ connection_id: 'con_3', property_id: 'p' }),
    )
    expect(await stored()).toEqual([connection(), connection(second)])
    const found = await database.transaction((tx) => store.find(tx, ['con_2', 'con_9']))
    expect([...found]).toEqual([['con_2', connection(second)]])
  })

  it('keeps the highest version in any order of arrival', async () => {
    const versions = [1, 2, 3].map((version) => connectionEvent({ version, state: version === 3 ? 'closed' : 'pilot' }))
    await consume(versions[2]!, versions[0]!)
    await consume(versions[1]!)
    await consume(connectionEvent({ version: 3, state: 'production' }))
    expect(await stored()).toEqual([connection({ version: 3, state: 'closed' })])
  })

  it('stores valid events and dead-letters invalid ones of the same batch', async () => {
    expect(await consume('nonsense', connectionEvent(), connectionEvent({ state: 'lost' as never }))).toEqual([
      'message is not JSON in UTF-8',
      expect.stringMatching(/^\/data\/state must be one of /),
    ])
    expect(await stored()).toEqual([connection()])
  })
})
