import { eventually } from '@connectivity/testing/eventually'
import { dispatchDatabase, type DispatchDatabase } from './dispatch-in-process.js'

describe('recording an event', () => {
  let db: DispatchDatabase
  beforeAll(async () => {
    db = await dispatchDatabase()
    await db.connect({ connection_id: 'con_1' })
    await db.configure('con_1', { state: 'suspended' })
    await db.record({})
  })
  afterAll(() => db.end())

  const rowOf = (table: string) => `SELECT FROM ${table} WHERE connection_id = 'con_1'`
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`

  it.each([
    ['callback', 'event_summary'],
    ['callback', 'lane'],
    ['event_summary', 'lane'],
  ])('locks the row of %s before that of %s', async (first, second) => {
    const { recorded } = await db.database.transaction(async (tx) => {
      await tx.query(`${rowOf(first)} FOR UPDATE`)
      const recorded = db.record({})
      recorded.catch(() => undefined)
      await eventually(async () => expect(await db.rows(waiting)).toHaveLength(1))
      await tx.query(`${rowOf(second)} FOR UPDATE NOWAIT`)
      return { recorded }
    })
    await recorded
  })
})
