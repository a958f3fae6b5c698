import { type Database, queryRows, type Transaction } from '@connectivity/database'
import { ariDatabase, type AriDatabase } from '../../test/ari-database.js'
import { GroupCellStore } from './group-cell.store.js'

const YEAR = 365
const FIRST = 20_000

describe('a group of small calls', () => {
  let ari: AriDatabase
  let database: Database
  beforeAll(async () => {
    ari = await ariDatabase()
    database = ari.connect()
    await database.query(`
      INSERT INTO series (property_id, room_id, rate_plan_id, occupancy)
      SELECT 'prop_1', 'room_' || number, 'plan', 0 FROM generate_series(1, 5) AS number;
      INSERT INTO cell (series_id, date, amount, currency, connection_id, revision)
      SELECT series_id, date '1970-01-01' + day, day, 'EUR', 'con_1', 1
        FROM series, generate_series(${FIRST}, ${FIRST + YEAR - 1}) AS day`)
  })
  afterAll(() => ari.end())

  it.each(['before statistics are gathered', 'after'])('reads the named days alone, %s', async (when) => {
    if (when === 'after') await database.query('ANALYZE')
    const series = { roomId: 'room_2', ratePlanId: 'plan', occupancy: 0 }
    const run = (from: number, to: number) => ({ propertyId: 'prop_1', series, from, to })
    await database.transaction(async (tx) => {
      const before = await fetched(tx)
      const found = await new GroupCellStore().read(tx, [run(FIRST + 7, FIRST + 9), run(FIRST + 200, FIRST + 200)])
      expect(found.map(({ cell }) => cell!.day - FIRST)).toEqual([7, 8, 9, 200])
      expect((await fetched(tx)) - before).toBe(4)
    })
  })
})

/** Number of cells that the session has fetched by an index. */
async function fetched(tx: Transaction): Promise<number> {
  const rows = await queryRows<[number]>(tx, {
    text: `SELECT coalesce(sum(idx_tup_fetch), 0)::integer FROM pg_stat_xact_user_tables WHERE relname = 'cell'`,
  })
  return rows[0]![0]
}
