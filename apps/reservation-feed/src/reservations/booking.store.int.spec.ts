import { Database } from '@connectivity/database/database'
import { migrate } from '@connectivity/database/migrate'
import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import { booking } from '@connectivity/testing/events'
import { migrations } from '../migrations/migrations.js'
import { BookingStore } from './booking.store.js'

const store = new BookingStore()
let server: TestDatabase
let database: Database

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
beforeEach(() => database.query('TRUNCATE booking'))

const recordOf = (reservation_id: string, version: number, replaces: number | null) => ({
  booking: booking({ reservation_id, version }),
  ...{ confirmed: true, kept: null, offset: 1n, time: null, replaces },
})
const write = (...records: ReturnType<typeof recordOf>[]) =>
  database.transaction(async (tx) => store.upsert(tx, records))
const versions = async () =>
  (await database.query<{ version: string }>('SELECT version FROM booking ORDER BY reservation_id')).rows.map(
    ({ version }) => Number(version),
  )
const overtaken = { name: 'Overtaken' }

describe('states of bookings', () => {
  it('are written over the versions that they replace, new ones beside them', async () => {
    await write(recordOf('RSV-1', 1, null))
    await write(recordOf('RSV-2', 1, null), recordOf('RSV-1', 2, 1))
    expect(await versions()).toEqual([2, 1])
  })

  it.each([
    ['a higher version', 5],
    ['a lower version', 3],
  ])('are not written when another writer stored %s since they were read', async (_what, stored) => {
    await write(recordOf('RSV-1', stored, null))
    await expect(write(recordOf('RSV-1', 4, 2))).rejects.toMatchObject(overtaken)
    await expect(write(recordOf('RSV-1', 4, null), recordOf('RSV-2', 1, null))).rejects.toMatchObject(overtaken)
    expect(await versions()).toEqual([stored])
  })
})
