import type { AriWrite } from '@connectivity/contracts/ari'
import { eventually } from '@connectivity/testing/eventually'
import { LOCK_WAITS } from '@connectivity/testing/lock-waits'
import type { ServiceProcess } from '@connectivity/testing/service-process'
import { Client } from 'pg'
import { type AriProcess, ariProcess } from './ari-process.js'
import { catalogRoom, connectionCatalog } from './catalog.js'
import { day } from './property-under-test.js'

/** Calls of a connection that may wait for its turn at a property, at each process. */
const WAITING = 32
/** Calls of another connection that may be applied while a call waits. */
const MOST_OVERTAKING = 4
/** A heavy call covers fifty rooms for two years: 36,500 cells. */
const ROOMS = 50
const DAYS = 730
/** Small calls sent during the heavy ones; a measurement uses more. */
const SMALL_CALLS = Number(process.env.ARI_FAIRNESS_CALLS ?? 3)
const HEAVY_AT_ONCE = 20

const rooms = Array.from({ length: ROOMS }, (_, index) => `rm_${index + 1}`)
const [greedy, modest, propertyId] = ['con_greedy', 'con_modest', 'prop_shared'] as const
let marker = 0

const small = (property_id: string): AriWrite => {
  const update = { room_id: 'rm_1', date_from: day(5), date_to: day(5), availability: ++marker }
  return { property_id, updates: [update] }
}
const heavy = (property_id: string): AriWrite => ({
  property_id,
  updates: rooms.map((room_id) => ({ room_id, date_from: day(0), date_to: day(DAYS - 1), availability: ++marker })),
})

let ari: AriProcess
let replicas: ServiceProcess[]
beforeAll(async () => {
  ari = await ariProcess()
  replicas = [ari.service, await ari.startReplica()]
  const shared = { property_id: propertyId, rooms: rooms.map((id) => catalogRoom(id)), rate_plans: [] }
  const catalogs = [greedy, modest].map((connection_id) => connectionCatalog({ connection_id, ...shared }))
  await ari.catalogsArrive(catalogs)
})
afterAll(() => ari.end())

/** Locks the property as a long call does. @returns function that releases it */
async function holdProperty(): Promise<() => Promise<void>> {
  const holder = new Client({ connectionString: ari.databaseUrl })
  await holder.connect()
  await holder.query('BEGIN')
  await holder.query('SELECT FROM property WHERE property_id = $1 FOR UPDATE', [propertyId])
  return () => holder.end()
}

/** Counts calls that wait for a lock in the database. */
const waitingForLocks = async () => (await ari.sql.query(LOCK_WAITS)).rowCount

describe('two connections that write to one hotel', () => {
  it.each([1, 2])(
    'take turns, however many calls one of them has at %d processes',
    async (count) => {
      const at = replicas.slice(0, count)
      const { json: first } = await ari.write(small(modest))
      const release = await holdProperty()
      const answers: number[] = []
      const send = async (process: ServiceProcess) => {
        const { status, headers } = await ari.write(small(greedy), { at: process })
        answers.push(status)
        if (status === 503) expect(headers.get('retry-after')).toBe('2')
      }
      const calls = at.map(send)
      await eventually(async () => expect(await waitingForLocks()).toBe(count))
      // One too many at each process: its refusal shows that all others have arrived.
      for (const process of at) calls.push(...Array.from({ length: WAITING + 1 }, () => send(process)))
      await eventually(() => expect(answers).toEqual(at.map(() => 503)))
      const waiting = ari.write(small(modest), { at: at.at(-1)! })
      await eventually(async () => expect(await waitingForLocks()).toBe(count + 1))
      await release()
      const { status, json } = await waiting
      await Promise.all(calls)
      expect(answers.filter((answer) => answer === 200)).toHaveLength(count * (1 + WAITING))
      // Only the call that held the property's turn when the small call arrived.
      const overtaking = Number(json.ari_revision) - Number(first.ari_revision) - 1
      expect([status, overtaking]).toEqual([200, 1])
    },
    60_000,
  )

  it(`get at most ${MOST_OVERTAKING} heavy calls of one before a small call of the other, no refusals`, async () => {
    const undisturbed = await smallCalls(() => 0)
    const greed = writeHeavily()
    const calls = await smallCalls(() => greed.applied)
    await greed.stop()
    process.stdout.write(`undisturbed ${JSON.stringify(undisturbed)}, beside heavy calls ${JSON.stringify(calls)}\n`)
    expect(calls.map(({ status }) => status)).toEqual(calls.map(() => 200))
    expect(Math.max(...calls.map(({ overtaking }) => overtaking))).toBeLessThanOrEqual(MOST_OVERTAKING)
  }, 300_000)
})

/** Sends small calls of the modest connection, one after the other. */
async function smallCalls(appliedOfOther: () => number) {
  const calls: { status: number; ms: number; overtaking: number }[] = []
  for (let index = 0; index < SMALL_CALLS; index++) {
    const [begin, before] = [performance.now(), appliedOfOther()]
    const { status } = await ari.write(small(modest), { at: replicas[index % replicas.length]! })
    calls.push({ status, ms: Math.round(performance.now() - begin), overtaking: appliedOfOther() - before })
  }
  return calls
}

/** Keeps `HEAVY_AT_ONCE` large calls of the greedy connection running, spread over both processes. */
function writeHeavily() {
  const greed = { applied: 0, stop: async () => void (await stopped()) }
  let running = true
  const writers = Array.from({ length: HEAVY_AT_ONCE }, async (_, index) => {
    while (running) {
      const { status } = await ari.write(heavy(greedy), { at: replicas[index % replicas.length]! })
      if (status === 200) greed.applied++
    }
  })
  const stopped = () => {
    running = false
    return Promise.all(writers)
  }
  return greed
}
