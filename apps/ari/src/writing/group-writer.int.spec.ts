import { randomUUID } from 'node:crypto'
import type { AriWrite, AriWritten } from '@connectivity/contracts/ari'
import type { ErrorBody } from '@connectivity/contracts/errors'
import type { Database } from '@connectivity/database'
import { eventually } from '@connectivity/testing/eventually'
import fc from 'fast-check'
import { ariDatabase, type AriDatabase } from '../../test/ari-database.js'
import { connectionCatalog } from '../../test/catalog.js'
import { ModelInventory } from '../../test/model-inventory.js'
import { randomUpdate, usualCalls } from '../../test/random-update.js'
import { type PropertyCatalog, propertyCatalog } from '../catalogs/property-catalog.js'
import { AriUpdatesPublisher } from './ari-updates.publisher.js'
import type { Call } from './call.js'
import { CallGroups } from '../calls/call-groups.service.js'
import { dateOf, today } from '../calendar/calendar.js'
import { GroupCellStore } from '../cells/group-cell.store.js'
import type { Outcome } from './group-judgement.js'
import { GroupWriter } from './group-writer.service.js'
import { PropertyStore } from '../cells/property.store.js'
import { PropertyTurns } from '../calls/property-turns.service.js'
import { SeriesStore } from '../cells/series.store.js'
import { ariState } from '../reading/state.view.js'
import { StateStore } from '../reading/state.store.js'
import { WriterPlaces } from '../calls/writer-places.service.js'

const first = today('Europe/Berlin', Date.now())
let ari: AriDatabase
/** As many as replicas. */
let databases: Database[]
let writers: GroupWriter[]
let property = 0

beforeAll(async () => {
  ari = await ariDatabase()
  databases = [ari.connect(), ari.connect()]
  writers = databases.map(
    (each) =>
      new GroupWriter(each, new PropertyStore(), new SeriesStore(), new GroupCellStore(), new AriUpdatesPublisher()),
  )
})
afterAll(() => ari.end())

const freshCatalog = (given: { timezone?: string } = {}): PropertyCatalog => {
  const id = property++
  return propertyCatalog(connectionCatalog({ connection_id: `con_${id}`, property_id: `prop_${id}`, ...given }))
}

function callOf(
  catalog: PropertyCatalog,
  given: Pick<AriWrite, 'updates' | 'currency'>,
  key: string = randomUUID(),
): Call {
  const mutation = {
    ...{ applicationId: 'app_1', method: 'POST', path: '/ari', key },
    ...{ fingerprint: JSON.stringify(given), correlationId: 'correlation' },
  }
  return { catalog, body: { property_id: catalog.connectionId, ...given }, mutation, traceparent: null }
}

const priced = (catalog: PropertyCatalog, amount: string, day = 1, key?: string): Call => {
  const date = dateOf(first + day)
  const update = { room_id: 'rm_1', rate_plan_id: 'rp_flex', date_from: date, date_to: date, rates: [{ amount }] }
  return callOf(catalog, { updates: [update], currency: 'EUR' }, key)
}

async function stateOf(catalog: PropertyCatalog) {
  const [dateFrom, dateTo] = [dateOf(first - 1), dateOf(first + 90)]
  const range = { propertyId: catalog.propertyId, dateFrom, dateTo, roomId: null, ratePlanId: null }
  const { revision, days } = (await new StateStore(databases[0]!).read(range))!
  const query = { connectionId: 'con_1', dateFrom, dateTo, externalRoomId: null, externalRatePlanId: null }
  return ariState(query, catalog, revision, days)
}

async function messagesOf({ propertyId }: PropertyCatalog): Promise<number[]> {
  const { rows } = await databases[0]!.query<{ revision: number }>(
    `SELECT (value::json->'data'->>'ari_revision')::integer AS revision FROM outbox WHERE key = $1 ORDER BY id`,
    [propertyId],
  )
  return rows.map(({ revision }) => revision)
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

/** Counts of an applied call, or the faults of a refused one. */
function shown(outcome: Outcome) {
  if (outcome === 'busy' || !('answer' in outcome)) return outcome
  const { status, body } = outcome.answer
  if (status !== 200) {
    const { details = [] } = (JSON.parse(body) as ErrorBody).error
    return { faults: details.map(({ pointer, code }) => `${pointer} ${code}`).toSorted() }
  }
  const { ari_revision: revision, cells_written: written, cells_unchanged: unchanged } = JSON.parse(body) as AriWritten
  return { revision, written, unchanged }
}

function expected(model: ModelInventory, { body }: Call) {
  const { faults, revision, written, unchanged } = model.apply(structuredClone(body))
  return faults.length > 0 ? { faults } : { revision, written, unchanged }
}

const kindsOf = (one: ReturnType<typeof expected>): string[] =>
  'faults' in one ? one.faults!.map((fault) => fault.split(' ')[1]!) : [one.written > 0 ? 'written' : 'unchanged']

const anyCall = fc.record({
  updates: fc.array(randomUpdate(first), { minLength: 1, maxLength: 4 }),
  currency: fc.constantFrom('EUR', 'EUR', 'EUR', 'JPY', null),
})

describe('a group of calls', () => {
  it('gives each call the answer that it would get if applied alone in its place, cell by cell', async () => {
    const anyGroups = fc.array(fc.array(fc.tuple(fc.nat(1), anyCall), { minLength: 1, maxLength: 8 }), {
      minLength: 1,
      maxLength: 4,
    })
    const seen = new Set<string>()
    await fc.assert(
      fc.asyncProperty(anyGroups, async (groups) => {
        const catalogs = [freshCatalog(), freshCatalog()]
        const models = catalogs.map(() => new ModelInventory(first))
        for (const group of groups) {
          const calls = group.map(([index, given]) => callOf(catalogs[index]!, given))
          const wanted = calls.map((call, index) => expected(models[group[index]![0]]!, call))
          const outcomes = await writers[0]!.apply(calls, null)
          expect(outcomes.map(shown)).toEqual(wanted)
          for (const one of wanted) for (const kind of kindsOf(one)) seen.add(kind)
        }
        for (const [index, model] of models.entries()) {
          const state = { ...model.state(), property_id: 'con_1' }
          expect(await stateOf(catalogs[index]!)).toEqual(state)
          expect(await messagesOf(catalogs[index]!)).toEqual(upTo(model.revision))
        }
      }),
      { numRuns: 80, examples: [[[usualCalls(first).map((call) => [0, call])]]] },
    )
    expect([...seen]).toEqual(expect.arrayContaining(['written', 'unchanged', 'min_gt_max', 'conflicting_update']))
  })

  it('applies the first of two calls with one key, and answers both again from what it stored', async () => {
    const catalog = freshCatalog()
    const key = randomUUID()
    const [one, twin] = [priced(catalog, '10.00', 1, key), priced(catalog, '10.00', 1, key)]
    const [applied, refused, other] = await writers[0]!.apply([one, twin, priced(catalog, '11.00', 2)], null)
    expect([shown(applied!), shown(other!)]).toMatchObject([{ revision: 1 }, { revision: 2 }])
    expect(refused).toMatchObject({ refusal: { code: 'idempotency_in_progress' } })
    const repeated = await writers[1]!.apply([priced(catalog, '99.00', 3), twin], null)
    expect(shown(repeated[0]!)).toMatchObject({ revision: 3 })
    expect(repeated[1]).toEqual({ answer: { ...(applied as { answer: object }).answer, replayed: true } })
    const reused = await writers[1]!.apply([priced(catalog, '12.00', 1, key)], null)
    expect(reused).toMatchObject([{ refusal: { code: 'idempotency_key_reused' } }])
    expect(await messagesOf(catalog)).toEqual([1, 2, 3])
  })

  it.each(['', 'Europe\x1fBerlin', '\x1e'])('applies them although a time zone is %j', async (timezone) => {
    const [odd, usual] = [freshCatalog({ timezone }), freshCatalog()]
    const calls = [[priced(odd, '1.00')], [priced(odd, '2.00'), priced(usual, '2.00')]]
    const outcomes = [await writers[0]!.apply(calls[0]!, null), await writers[0]!.apply(calls[1]!, null)].flat()
    expect(outcomes.map(shown)).toEqual([1, 2, 1].map((revision) => ({ revision, written: 1, unchanged: 0 })))
    const ids = [odd, usual].map(({ propertyId }) => propertyId)
    const text = 'SELECT timezone FROM property WHERE property_id = ANY ($1) ORDER BY array_position($1, property_id)'
    expect((await databases[0]!.query(text, [ids])).rows).toEqual([{ timezone }, { timezone: usual.timezone }])
  })

  it('skips only calls of locked properties', async () => {
    const [held, free] = [freshCatalog(), freshCatalog()]
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const locking = { ...held, deadline: Date.now() + 10_000 }
    const holding = databases[1]!.transaction(async (tx) => {
      await new PropertyStore().lock(tx, locking)
      isHeld()
      await released
    })
    const { promise: taken, resolve: isHeld } = Promise.withResolvers<void>()
    await taken
    const outcomes = await writers[0]!.apply([priced(held, '1.00'), priced(free, '2.00'), priced(held, '3.00')], null)
    expect(outcomes.map(shown)).toEqual(['busy', { revision: 1, written: 1, unchanged: 0 }, 'busy'])
    release()
    await holding
    expect((await writers[0]!.apply([priced(held, '1.00')], null)).map(shown)).toMatchObject([{ revision: 1 }])
  })

  it('leaves nothing behind when its connection is lost, and may be sent again', async () => {
    const catalog = freshCatalog()
    const calls = upTo(5).map((day) => priced(catalog, '10.00', day))
    await writers[0]!.apply([calls[4]!], null)
    const holding = databases[1]!.transaction(async (tx) => {
      await tx.query(`SELECT FROM cell JOIN series USING (series_id) WHERE property_id = $1 FOR UPDATE OF cell`, [
        catalog.propertyId,
      ])
      const changed = upTo(5).map((day) => priced(catalog, '11.00', day))
      const locking = { ...catalog, deadline: Date.now() + 10_000 }
      const lost = expect(writers[0]!.apply(changed, locking)).rejects.toThrow('terminating connection')
      await eventually(async () => {
        const killed = await databases[1]!.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        )
        expect(killed.rowCount).toBe(1)
      })
      await lost
    })
    await holding
    expect(await messagesOf(catalog)).toEqual([1])
    const outcomes = await writers[0]!.apply(calls, null)
    expect(outcomes.map((outcome) => shown(outcome))).toEqual([
      ...[2, 3, 4, 5].map((revision) => ({ revision, written: 1, unchanged: 0 })),
      { revision: 1, written: 1, unchanged: 0 },
    ])
  })
})

describe('calls of several connections at two replicas', () => {
  const groupsOf = (writer: GroupWriter) => new CallGroups(new PropertyTurns(), new WriterPlaces(), writer)

  it('get the answers of one sequence of calls', async () => {
    const shared = freshCatalog()
    const connections = upTo(3).map((each) => ({ ...shared, connectionId: `${shared.connectionId}_${each}` }))
    const replicas = writers.map(groupsOf)
    const updates = fc.sample(anyCall, { numRuns: 90, seed: property })
    const calls = updates.map((given, index) => callOf(connections[index % 3]!, given))
    const answers = await Promise.all(
      calls.map(async (call, index) => ({
        call,
        result: shown({ answer: await replicas[(index >> 1) % 2]!.apply(call) }) as Partial<
          ReturnType<typeof expected>
        >,
      })),
    )
    const changes = answers
      .flatMap(({ call, result }) => ('written' in result && result.written! > 0 ? [{ call, result }] : []))
      .toSorted((a, b) => a.result.revision! - b.result.revision!)
    const model = new ModelInventory(first)
    /** Answers of each state of the model to the calls that change nothing. */
    const others = answers.filter(({ result }) => !('written' in result) || result.written === 0)
    const possible = others.map(() => [] as unknown[])
    for (const change of [null, ...changes]) {
      if (change) expect(change.result).toEqual(expected(model, change.call))
      for (const [index, { call }] of others.entries()) possible[index]!.push(expected(copyOf(model), call))
    }
    for (const [index, { result }] of others.entries()) expect(possible[index]).toContainEqual(result)
    expect(await messagesOf(shared)).toEqual(upTo(changes.length))
    expect(changes.length).toBeGreaterThan(5)
  })

  it('succeed although PostgreSQL rejects one of them', async () => {
    const catalog = freshCatalog()
    const other = { ...catalog, connectionId: `${catalog.connectionId}_other` }
    const replica = groupsOf(writers[0]!)
    const calls = upTo(6).map((day) => priced(day < 4 ? catalog : other, '5.00', day, `key ${property} ${day}`))
    calls[1] = priced(catalog, '6.00', 2, 'no PostgreSQL text holds \0')
    const answers = await Promise.allSettled(calls.map((call) => replica.apply(call)))
    expect(answers.map(({ status }) => status)).toEqual(
      calls.map((_, index) => (index === 1 ? 'rejected' : 'fulfilled')),
    )
    expect(answers[1]).toMatchObject({ reason: { code: '22021' } })
    expect(await messagesOf(catalog)).toEqual([1, 2, 3, 4, 5])
  })
})

/** The model as it is now, to ask what a call would do. */
const copyOf = (model: ModelInventory): ModelInventory =>
  Object.assign(Object.create(ModelInventory.prototype) as ModelInventory, structuredClone({ ...model }))
