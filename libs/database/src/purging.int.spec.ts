import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import { Database } from './database.js'
import { deleteBatch } from './purging.js'

let server: TestDatabase
let database: Database

beforeAll(async () => {
  server = await createDatabase()
  database = new Database({ url: server.url, applicationName: 'test', migrations: [] })
  await database.query('CREATE TABLE number (value integer)')
})
beforeEach(async () => {
  await database.query('TRUNCATE number')
  await database.query('INSERT INTO number SELECT generate_series(1, 6000)')
})
afterAll(async () => {
  await database.close()
  await server.drop()
})

const deleteUpTo = (value: number): Promise<number> => deleteBatch(database, 'number', 'value <= $1', [value])

describe('deleting a batch', () => {
  it('deletes at most 5,000 of the rows that match, and tells how many', async () => {
    const deleted = [await deleteUpTo(5500), await deleteUpTo(5500), await deleteUpTo(5500)]
    expect(deleted).toEqual([5000, 500, 0])
    expect((await database.query('SELECT count(*)::integer AS left FROM number')).rows).toEqual([{ left: 500 }])
  })

  it('leaves rows that another transaction is changing to a later batch', async () => {
    await database.transaction(async (tx) => {
      await tx.query('UPDATE number SET value = 3 WHERE value = 2')
      expect(await deleteUpTo(2)).toBe(1)
    })
    expect((await database.query('SELECT value FROM number WHERE value <= 3')).rows).toEqual([
      { value: 3 },
      { value: 3 },
    ])
  })
})
