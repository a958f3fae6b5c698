import type { AriState, AriUpdateWrite, AriWrite } from '@connectivity/contracts/ari'
import { ServiceError } from '@connectivity/contracts/errors'
import { Database, type Transaction } from '@connectivity/database/database'
import { migrate } from '@connectivity/database/migrate'
import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import fc from 'fast-check'
import { connectionCatalog } from '../../test/catalog.js'
import { ModelInventory } from '../../test/model-inventory.js'
import { randomUpdate } from '../../test/random-update.js'
import { propertyCatalog } from '../catalogs/property-catalog.js'
import { migrations } from '../migrations/migrations.js'
import { AriUpdatesPublisher } from './ari-updates.publisher.js'
import { AriWriter } from './ari-writer.service.js'
import { dateOf, today } from './calendar.js'
import { CellStore } from './cell.store.js'
import { PropertyStore } from './property.store.js'
import { SeriesStore } from './series.store.js'
import { ariState } from './state.js'
import { StateStore } from './state.store.js'

const writer = new AriWriter(new PropertyStore(), new SeriesStore(), new CellStore(), new AriUpdatesPublisher())
const first = today('Europe/Berlin', Date.now())
let server: TestDatabase
let database: Database
let states: StateStore
let property = 0

beforeAll(async () => {
  server = await createDatabase()
  const options = { url: server.url, applicationName: 'test', migrations }
  await migrate(options)
  database = new Database(options)
  states = new StateStore(database)
})
afterAll(async () => {
  await database.close()
  await server.drop()
})

/** A property of its own, written to by one connection. */
function fresh() {
  const catalog = propertyCatalog(connectionCatalog({ property_id: `prop_${property++}` }))
  const { propertyId } = catalog
  return {
    catalog,
    propertyId,
    async write(body: AriWrite, how: 'write' | 'dryRun' = 'write') {
      try {
        return await database.transaction((tx) => writer[how](tx, catalog, body))
      } catch (error) {
        if (error instanceof ServiceError) return error
        throw error
      }
    },
    async read(): Promise<AriState> {
      const [dateFrom, dateTo] = [dateOf(first - 1), dateOf(first + 90)]
      const { revision, days } = await states.read({ propertyId, dateFrom, dateTo, roomId: null, ratePlanId: null })
      const query = { propertyId: 'con_1', dateFrom, dateTo, externalRoomId: null, externalRatePlanId: null }
      return ariState(query, catalog, revision, days)
    },
    async messages(): Promise<string[]> {
      const { rows } = await database.reads.query<{ id: string }>(
        `SELECT value::json->>'id' AS id FROM outbox WHERE key = $1 ORDER BY id`,
        [propertyId],
      )
      return rows.map(({ id }) => id)
    },
  }
}

describe('calls', () => {
  it('do what a plain model of the rules does, cell by cell', async () => {
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
      { numRuns: 120 },
    )
    const seen = ['written', 'unchanged', 'min_gt_max', 'conflicting_update', 'currency_mismatch', 'currency_required']
    for (const outcome of seen) expect([outcome, outcomes.get(outcome) ?? 0]).not.toEqual([outcome, 0])
  }, 120_000)

  it('find a single cell by its key, however many there are', async () => {
    const { write, catalog } = fresh()
    const update = (given: Partial<AriUpdateWrite>): AriUpdateWrite => ({
      room_id: 'rm_1',
      date_from: dateOf(first),
      date_to: dateOf(first),
      availability: 1,
      ...given,
    })
    const call = (...updates: AriUpdateWrite[]): AriWrite => ({ property_id: 'con_1', updates })
    await write(call(update({ date_to: dateOf(first + 700), availability: 2 })))
    // More often than PostgreSQL looks at the parameters before it keeps one plan for all.
    for (let time = 0; time < 8; time++) {
      const body = call(update({ availability: 3 + time }))
      expect(await database.transaction((tx) => scansOf(tx, () => writer.write(tx, catalog, body)))).toBe(0)
    }
  })
})

/** How often the transaction has read the whole table of cells by the end of the work. */
async function scansOf(tx: Transaction, work: () => Promise<unknown>): Promise<number> {
  await work()
  const { rows } = await tx.query<{ scans: string | null }>(
    `SELECT seq_scan AS scans FROM pg_stat_xact_user_tables WHERE relname = 'cell'`,
  )
  return Number(rows[0]!.scans)
}

/** As `pointer code`, in order of the text; pointers of contradicting stays are left to another test. */
function faultsOf(answer: unknown): string[] {
  if (!(answer instanceof ServiceError)) return ['no refusal']
  return answer.details!.map(({ pointer, code }) => `${pointer} ${code}`).toSorted()
}
