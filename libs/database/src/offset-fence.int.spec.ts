import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import { offsetFenceTable } from '@connectivity/testing/tables'
import { Database } from './database.js'
import { BehindFence, lockFence, passFence, readFences, skipOffsets } from './offset-fence.js'

describe('the offset fence', () => {
  let server: TestDatabase
  let database: Database
  const fence = { group: 'g', topic: 't', partition: 4 }
  const pass = (first: bigint, next: bigint) => database.transaction(async (tx) => passFence(tx, fence, first, next))
  const position = () => database.transaction((tx) => lockFence(tx, fence))

  beforeAll(async () => {
    server = await createDatabase()
    database = new Database({ url: server.url, applicationName: 'test', migrations: [] })
    await database.query(`CREATE TABLE note (text text); ${offsetFenceTable}`)
  })
  beforeEach(() => database.query('DELETE FROM consumed_offset'))
  afterAll(async () => {
    await database.close()
    await server.drop()
  })

  it('begins at zero, moves, and is read back per group', async () => {
    expect(await position()).toBe(0n)
    await pass(0n, 9_007_199_254_740_993n)
    expect(await position()).toBe(9_007_199_254_740_993n)
    expect(await readFences(database, 'g')).toEqual([{ ...fence, nextOffset: '9007199254740993' }])
    expect(await readFences(database, 'other')).toEqual([])
  })

  it('lets one of several members pass that first see the partition at the same time', async () => {
    const members = await Promise.allSettled(Array.from({ length: 6 }, () => pass(0n, 3n)))
    expect(members.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const member of members) if (member.status === 'rejected') expect(member.reason).toBeInstanceOf(BehindFence)
    expect(await position()).toBe(3n)
  })

  it('passes over missing offsets, never back', async () => {
    await pass(5n, 9n)
    await pass(20n, 21n)
    await expect(pass(20n, 30n)).rejects.toThrow(BehindFence)
    expect(await position()).toBe(21n)
  })

  it('undoes the writes of a transaction that is behind', async () => {
    await pass(0n, 3n)
    const late = database.transaction(async (tx) => {
      passFence(tx, fence, 2n, 4n)
      await tx.query(`INSERT INTO note VALUES ('late')`)
    })
    await expect(late).rejects.toThrow(BehindFence)
    expect((await database.query('SELECT FROM note')).rowCount).toBe(0)
  })

  it.each([
    { at: null, first: 0n, last: 4n, moved: 5n },
    { at: null, first: 2n, last: 4n, moved: 0n },
    { at: 3n, first: 2n, last: 4n, moved: 5n },
    { at: 3n, first: 3n, last: 3n, moved: 4n },
    { at: 3n, first: 4n, last: 6n, moved: 3n },
    { at: 5n, first: 2n, last: 4n, moved: 5n },
  ])('moves over the empty offsets $first to $last from $at to $moved', async ({ at, first, last, moved }) => {
    if (at !== null) await pass(0n, at)
    await skipOffsets(database, fence, { first, last })
    expect(await position()).toBe(moved)
  })
})
