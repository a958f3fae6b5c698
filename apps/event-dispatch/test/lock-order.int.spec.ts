import { eventually } from '@connectivity/testing/eventually'
import { LOCK_WAITS } from '@connectivity/testing/lock-waits'
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

  it.each([
    ['callback', 'event_summary'],
    ['callback', 'lane'],
    ['event_summary', 'lane'],
  ])('locks the row of %s before that of %s', async (first, second) => {
    const { recorded } = await db.database.transaction(async (tx) => {
      await tx.query(`${rowOf(first)} FOR UPDATE`)
      const recorded = db.record({})
      recorded.catch(() => undefined)
      await eventually(async () => expect(await db.rows(LOCK_WAITS)).toHaveLength(1))
      await tx.query(`${rowOf(second)} FOR UPDATE NOWAIT`)
      return { recorded }
    })
    await recorded
  })
})
