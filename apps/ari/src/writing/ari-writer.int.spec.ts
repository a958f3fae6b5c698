import type { AriState, AriWrite } from '@connectivity/contracts/ari'
import { ServiceError } from '@connectivity/contracts/errors'
import type { Database, Transaction } from '@connectivity/database'
import fc from 'fast-check'
import { register } from 'prom-client'
import { ariDatabase, type AriDatabase } from '../../test/ari-database.js'
import { catalogRoom, connectionCatalog } from '../../test/catalog.js'
import { ModelInventory } from '../../test/model-inventory.js'
import { randomUpdate, usualCalls } from '../../test/random-update.js'
import { Entities, propertyCatalog } from '../catalogs/property-catalog.js'
import { AriUpdatesPublisher } from './ari-updates.publisher.js'
import { AriWriter } from './ari-writer.service.js'
import { dateOf, today } from '../calendar/calendar.js'
import { CellStore } from '../cells/cell.store.js'
import { PropertyStore } from '../cells/property.store.js'
import { SeriesStore } from '../cells/series.store.js'
import { ariState } from '../reading/state.view.js'
import { StateStore } from '../reading/state.store.js'

const writer = new AriWriter(new PropertyStore(), new SeriesStore(), new CellStore(), new AriUpdatesPublisher())
const first = today('Europe/Berlin', Date.now())
/** A deadline that no call of this file exceeds. */
const inTime = () => Date.now() + 10_000
let ari: AriDatabase
let database: Database
let states: StateStore
let property = 0

beforeAll(async () => {
  ari = await ariDatabase()
  database = ari.connect()
  states = new StateStore(database)
})
afterAll(() => ari.end())

/** Creates a property, written to by one connection. */
function fresh() {
  const catalog = propertyCatalog(connectionCatalog({ property_id: `prop_${property++}` }))
  const { propertyId } = catalog
  return {
    catalog,
    propertyId,
    async write(body: AriWrite, how: 'write' | 'dryRun' = 'write') {
      try {
        return await database.transaction((tx) => writer[how](tx, catalog, body, inTime()))
      } catch (error) {
        if (error instanceof ServiceError) return error
        throw error
      }
    },
    async read(): Promise<AriState> {
      const [dateFrom, dateTo] = [dateOf(first - 1), dateOf(first + 90)]
      const { revision, days } = (await states.read({ propertyId, dateFrom, dateTo, roomId: null, ratePlanId: null }))!
      const query = { connectionId: 'con_1', dateFrom, dateTo, externalRoomId: null, externalRatePlanId: null }
      return ariState(query, catalog, revision, days)
    },
    async messages(): Promise<string[]> {
      const { rows } = await database.query<{ id: string }>(
        `SELECT value::json->>'id' AS id FROM outbox WHERE key = $1 ORDER BY id`,
        [propertyId],
      )
      return rows.map(({ id }) => id)
    },
  }
}

describe('calls', () => {
  it('match a plain model of the rules, cell by cell', async () => {
    const call = fc.record({
      updates: fc.array(randomUpdate(first), { minLength: 1, maxLength: 6 }),
      currency: fc.constantFrom('EUR', 'EUR', 'EUR', 'JPY', null),
      times: fc.constantFrom(1, 1, 2),
    })
    const outcomes = new Map<string, number>()
    const count = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 8 }), async (calls) => {
        const { write, read, messages, propertyId } = fresh()
        const model = new ModelInventory(first)
        for (const { updates, currency } of calls.flatMap((one) => Array(one.times).fill(one) as (typeof one)[])) {
          const body = { property_id: 'con_1', updates, currency }
          const expected = model.apply(structuredClone(body))
          const dry = await write(body, 'dryRun')
          const answer = await write(body)
          if (expected.faults.length > 0) {
            expect(faultsOf(answer)).toEqual(expected.faults)
            expect(faultsOf(dry)).toEqual(expected.faults)
            for (const fault of expected.faults) count(fault.split(' ')[1]!)
          } else {
            const { revision: ari_revision, written: cells_written, unchanged: cells_unchanged } = expected
            expect(answer).toMatchObject({ ari_revision, cells_written, cells_unchanged })
            expect(dry).toMatchObject({ ari_revision: expected.before, cells_written, cells_unchanged })
            count(cells_written > 0 ? 'written' : 'unchanged')
          }
          expect(await read()).toEqual(model.state())
        }
        const revisions = Array.from({ length: model.revision }, (_, index) => `${propertyId}-${index + 1}-1`)
        expect(await messages()).toEqual(revisions)
      }),
      { numRuns: 120, examples: [[usualCalls(first).map((given) => ({ ...given, times: 1 }))]] },
    )
    const seen = ['written', 'unchanged', 'min_gt_max', 'conflicting_update', 'currency_mismatch', 'currency_required']
    for (const outcome of seen) expect([outcome, outcomes.get(outcome) ?? 0]).not.toEqual([outcome, 0])
  }, 300_000)

  it('are counted only if their transaction commits', async () => {
    const { catalog, write } = fresh()
    const updates = [{ room_id: 'rm_1', date_from: dateOf(first), date_to: dateOf(first), availability: 1 }]
    const body = { property_id: 'con_1', updates }
    const counted = () => register.getSingleMetricAsString('connectivity_ari_cells_total')
    const before = await counted()
    const failing = database.transaction(async (tx) => {
      await writer.write(tx, catalog, body, inTime())
      throw new Error('no commit')
    })
    await expect(failing).rejects.toThrow('no commit')
    expect(await counted()).toEqual(before)
    await write(body)
    expect(await counted()).not.toEqual(before)
  })

  it('find each cell by its key, however many cells they name and however large the table grows', async () => {
    await database.query('TRUNCATE cell, series')
    const { catalog } = fresh()
    const rooms = Array.from({ length: 30 }, (_, index) => catalogRoom(`rm_${index}`))
    const large = { ...catalog, rooms: new Entities(rooms) }
    let availability = 0
    const call = (days: number): AriWrite => ({
      property_id: 'con_1',
      updates: rooms.map(({ service_id: room_id }) => ({
        room_id,
        date_from: dateOf(first),
        date_to: dateOf(first + days - 1),
        availability: ++availability,
      })),
    })
    // More calls than PostgreSQL plans individually.
    for (const days of [1, 1, 1, 1, 1, 1, 100, 100, 1]) {
      const cells = rooms.length * days
      const { scans, rows } = await database.transaction((tx) =>
        readsOf(tx, () => writer.write(tx, large, call(days), inTime())),
      )
      expect(scans).toBe(0)
      expect(rows).toBeLessThanOrEqual(cells)
    }
  })
})

/** Counts reads of the cell table during the work: full scans, and rows found by an index. */
async function readsOf(tx: Transaction, work: () => Promise<unknown>): Promise<{ scans: number; rows: number }> {
  const counted = async () => {
    const found = await tx.query<{ seq_scan: string; idx_tup_fetch: string }>(
      `SELECT seq_scan, idx_tup_fetch FROM pg_stat_xact_user_tables WHERE relname = 'cell'`,
    )
    return { scans: Number(found.rows[0]!.seq_scan), rows: Number(found.rows[0]!.idx_tup_fetch) }
  }
  const before = await counted()
  await work()
  const after = await counted()
  return { scans: after.scans - before.scans, rows: after.rows - before.rows }
}

/** Faults as `pointer code`, sorted as text; another test checks the pointers of contradicting stays. */
function faultsOf(answer: unknown): string[] {
  if (!(answer instanceof ServiceError)) return ['no refusal']
  return answer.details!.map(({ pointer, code }) => `${pointer} ${code}`).toSorted()
}
