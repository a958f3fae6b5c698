import type { Database } from '@connectivity/database'
import { createLogger } from '@connectivity/service-kit/logging'
import { register } from 'prom-client'
import { ariDatabase, type AriDatabase } from '../../test/ari-database.js'
import { Pruning } from './pruning.service.js'
import { PruningStore } from './pruning.store.js'

let ari: AriDatabase
let database: Database
let pruning: Pruning
beforeAll(async () => {
  ari = await ariDatabase()
  database = ari.connect()
  const config = { PAST_DAYS_KEPT: 2, PRUNING_INTERVAL_MINUTES: 60 }
  pruning = new Pruning(new PruningStore(database), config, createLogger('test', 'silent'))
})
afterAll(() => ari.end())
beforeEach(() => database.query('TRUNCATE property, series, cell RESTART IDENTITY'))

/** Creates a property with one series that has a cell for each of the given days. */
async function property(id: string, timezone: string, ...dates: [from: string, to: string]): Promise<void> {
  await database.query('INSERT INTO property VALUES ($1, 1, $2)', [id, timezone])
  await database.query(
    `WITH made AS (INSERT INTO series (property_id, room_id, rate_plan_id, occupancy) VALUES ($1, 'rm', '', 0) RETURNING *)
     INSERT INTO cell (series_id, date, connection_id, revision)
     SELECT series_id, day, 'con', 1 FROM made, generate_series($2::date, $3::date, '1 day') AS day`,
    [id, ...dates],
  )
}
const left = async () =>
  (
    await database.query(
      'SELECT property_id, min(date)::text AS first FROM cell JOIN series USING (series_id) GROUP BY 1 ORDER BY 1',
    )
  ).rows
const counted = async () =>
  (await register.getSingleMetric('connectivity_ari_pruned_days_total')!.get()).values[0]!.value

describe('pruning', () => {
  it('keeps some past days, by the calendar of each property', async () => {
    await property('east', 'Pacific/Kiritimati', '2026-11-01', '2026-12-01')
    await property('west', 'Pacific/Pago_Pago', '2026-11-01', '2026-12-01')
    // The 21st in Kiritimati, the 19th in Pago Pago.
    expect(await pruning.run(Date.parse('2026-11-20T10:30:00Z'))).toBe(18 + 16)
    expect(await left()).toEqual([
      { property_id: 'east', first: '2026-11-19' },
      { property_id: 'west', first: '2026-11-17' },
    ])
    expect(await pruning.run(Date.parse('2026-11-20T10:30:00Z'))).toBe(0)
  })

  it('takes as many batches as it needs', async () => {
    await property('old', 'UTC', '1990-01-01', '2026-11-18')
    expect(await pruning.run(Date.parse('2026-11-20T12:00:00Z'))).toBeGreaterThan(13_000)
    expect(await left()).toEqual([{ property_id: 'old', first: '2026-11-18' }])
  })

  it('continues with the next property after an error, and counts what it has deleted before', async () => {
    await property('broken', 'UTC', '1990-01-01', '2026-11-18')
    await property('other', 'UTC', '2026-11-01', '2026-11-18')
    // The second batch leaves too few days.
    await database.query(`
      CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql
        AS $$ BEGIN IF (SELECT count(*) < 5000 FROM cell) THEN RAISE 'refused'; END IF; RETURN NULL; END $$;
      CREATE TRIGGER keep AFTER DELETE ON cell EXECUTE FUNCTION keep()`)
    const before = await counted()
    try {
      expect(await pruning.run(Date.parse('2026-11-20T12:00:00Z'))).toBe(5_000 + 17)
    } finally {
      await database.query('DROP FUNCTION keep CASCADE')
    }
    expect((await counted()) - before).toBe(5_000 + 17)
    expect((await left()).at(-1)).toEqual({ property_id: 'other', first: '2026-11-18' })
  })

  it('stops between batches when the process stops', async () => {
    await property('old', 'UTC', '1990-01-01', '2026-11-18')
    const config = { PAST_DAYS_KEPT: 2, PRUNING_INTERVAL_MINUTES: 60 }
    const stopping = new Pruning(new PruningStore(database), config, createLogger('test', 'silent'))
    await stopping.onModuleDestroy()
    expect(await stopping.run(Date.parse('2026-11-20T12:00:00Z'))).toBe(0)
  })
})
