import { LeaseStore } from '../src/delivery/lease.store.js'
import { dispatchDatabase, type DispatchDatabase } from './dispatch-in-process.js'

describe('leases that are handed back', () => {
  let db: DispatchDatabase
  beforeEach(async () => {
    db = await dispatchDatabase()
    await db.connect({ connection_id: 'con_1' }, { connection_id: 'con_2' })
    for (const connectionId of ['con_1', 'con_2']) {
      await db.configure(connectionId)
      await db.record({ connectionId })
    }
  })
  afterEach(() => db.end())

  const owners = () => db.rows('SELECT lease_owner FROM callback ORDER BY connection_id')

  it('do not wait for a callback that another transaction has locked, and are named without it', async () => {
    const store = new LeaseStore(db.database)
    const leases = await store.acquire('dispatch-1')
    await db.database.transaction(async (tx) => {
      await tx.query(`SELECT FROM callback WHERE connection_id = 'con_1' FOR NO KEY UPDATE`)
      expect(await store.handBack(leases)).toEqual(new Set(['con_2']))
    })
    expect(await owners()).toEqual([{ lease_owner: 'dispatch-1' }, { lease_owner: null }])
    const left = leases.filter(({ connectionId }) => connectionId === 'con_1')
    expect(await store.handBack(left)).toEqual(new Set(['con_1']))
    expect(await owners()).toEqual([{ lease_owner: null }, { lease_owner: null }])
  })

  it('stay with the process that has taken them since', async () => {
    const store = new LeaseStore(db.database)
    const leases = await store.acquire('dispatch-1')
    await db.rows(`UPDATE callback SET lease_expires_at = now() - interval '1 s' WHERE connection_id = 'con_1'`)
    await store.acquire('dispatch-2')
    expect(await store.handBack(leases)).toEqual(new Set(['con_2']))
    expect(await owners()).toEqual([{ lease_owner: 'dispatch-2' }, { lease_owner: null }])
  })

  it('are not renewed by a renewal that comes late', async () => {
    const store = new LeaseStore(db.database)
    const leases = await store.acquire('dispatch-1')
    await store.handBack(leases)
    expect((await store.renew(leases)).renewed).toEqual(new Set())
    expect(await store.acquire('dispatch-2')).toHaveLength(2)
  })
})
