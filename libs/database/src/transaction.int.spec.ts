import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import { Database } from './database.js'

let server: TestDatabase
let database: Database

beforeAll(async () => {
  server = await createDatabase()
  database = new Database({ url: server.url, applicationName: 'test', migrations: [] })
  await database.query('CREATE TABLE note (text text)')
})
beforeEach(() => database.query('TRUNCATE note'))
afterAll(async () => {
  await database.close()
  await server.drop()
})

describe('a savepoint', () => {
  it('is returned to even if a deferred statement has failed since', async () => {
    await database.transaction(async (tx) => {
      tx.defer(`INSERT INTO note VALUES ('kept')`)
      tx.savepoint('here')
      tx.defer('SELECT 1 / 0')
      await tx.rollbackTo('here')
    })
    expect((await database.query('SELECT text FROM note')).rows).toEqual([{ text: 'kept' }])
  })

  it('also undoes what was to happen after the commit', async () => {
    const done: string[] = []
    await database.transaction(async (tx) => {
      tx.afterCommit(() => done.push('before'))
      tx.savepoint('here')
      tx.afterCommit(() => done.push('undone'))
      await tx.rollbackTo('here')
      tx.afterCommit(() => done.push('after'))
      expect(done).toEqual([])
    })
    expect(done).toEqual(['before', 'after'])
  })

  it('that was never reached rejects with the error of the statement before it', async () => {
    const failing = database.transaction(async (tx) => {
      tx.defer('SELECT 1 / 0')
      tx.savepoint('here')
      await tx.rollbackTo('here')
    })
    await expect(failing).rejects.toMatchObject({ code: '22012' })
  })
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
