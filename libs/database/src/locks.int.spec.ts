import { createDatabase } from '@connectivity/testing/database'
import { partOfPage } from '@connectivity/toolkit/backup-page'
import { Database } from './database.js'
import { advisoryLocks, tryLock } from './locks.js'

describe("the runbook's query for the holder of the outbox's lock", () => {
  it('finds its session alone', async () => {
    const query = partOfPage(/```sql\n([^]*?)```/, 'docs/operations/runbooks/outbox-stands-still.md')
    const created = await createDatabase()
    const database = new Database({ url: created.url, applicationName: 'the leader', migrations: [] })
    const [leader, other] = [await database.session(), await database.session()]
    try {
      expect((await database.query(query)).rows).toEqual([])
      await tryLock(other, advisoryLocks.feedRefresh('$1'), ['con_1'])
      await tryLock(leader, advisoryLocks.outboxRelay)
      const { rows } = await leader.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
      const found = { pid: rows[0]!.pid, client_addr: expect.any(String), application_name: 'the leader' }
      expect((await database.query(query)).rows).toEqual([expect.objectContaining(found)])
    } finally {
      await Promise.all([leader.end(), other.end()])
      await database.close()
      await created.drop()
    }
  })
})
