import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import { Database } from './database.js'

let server: TestDatabase
let database: Database

beforeAll(async () => {
  server = await createDatabase()
  database = new Database({ url: server.url, applicationName: 'test', migrations: [] })
  await database.query('CREATE TABLE note (text text)')
})
afterAll(async () => {
  await database.close()
  await server.drop()
})

describe('a transaction that reads a snapshot', () => {
  it('sees one moment', async () => {
    const counts = await database.transaction(async (tx) => {
      tx.readSnapshot()
      const count = async () => (await tx.query('SELECT FROM note')).rowCount
      const before = await count()
      await database.query(`INSERT INTO note VALUES ('new')`)
      return [before, await count()]
    })
    expect(counts).toEqual([0, 0])
  })

  it('cannot write, and leaves the session as it was', async () => {
    const write = (isReading: boolean) =>
      database.transaction(async (tx) => {
        if (isReading) tx.readSnapshot()
        await tx.query(`INSERT INTO note VALUES ('written')`)
      })
    await expect(write(true)).rejects.toMatchObject({ code: '25006' })
    await write(false)
  })
})
