import { jest } from '@jest/globals'
import { createDatabase } from '@connectivity/testing/database'
import { eventually } from '@connectivity/testing/eventually'
import { NetworkPath } from '@connectivity/toolkit/network-path'
import { Database } from './database.js'
import { SessionClient } from './session-client.js'

describe('a session whose server has vanished silently', () => {
  let server: Awaited<ReturnType<typeof createDatabase>>
  let path: NetworkPath
  let database: Database

  beforeAll(async () => {
    server = await createDatabase()
    const through = await NetworkPath.before(server.url)
    path = through.path
    database = new Database({ url: through.url, applicationName: 'test', migrations: [] })
  })
  afterEach(() => path.restore())
  afterAll(async () => {
    await database.close()
    path.close()
    await server.drop()
  })

  const within = async (limit: number, work: Promise<unknown>): Promise<void> => {
    const from = performance.now()
    await work
    expect(performance.now() - from).toBeLessThan(limit)
  }

  it('ends within seconds, idle or not', async () => {
    const [idle, asking] = [await database.session(), await database.session()]
    path.stall()
    const answer = expect(asking.query('SELECT 1')).rejects.toThrow('terminated')
    await within(3_000, Promise.all([idle.end(), asking.end()]))
    await answer
  })

  it('fails its statement within 20 s', async () => {
    const session = await database.session()
    path.stall()
    await within(20_000, expect(session.query('SELECT 1')).rejects.toThrow('timeout'))
    await within(3_000, session.end())
  })

  it('leaves no connection behind when the server vanishes while it opens', async () => {
    const query = jest.spyOn(SessionClient.prototype, 'query').mockRejectedValueOnce(new Error('no answer') as never)
    await expect(database.session()).rejects.toThrow('no answer')
    query.mockRestore()
    const open = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`
    await eventually(async () => expect((await database.query(open)).rowCount).toBe(0))
  })
})
