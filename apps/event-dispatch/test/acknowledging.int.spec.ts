import { eventually } from '@connectivity/testing/eventually'
import { judgeAcknowledgements } from '../src/events/acknowledgement.js'
import { AcknowledgementStore } from '../src/events/acknowledgement.store.js'
import { BacklogChangeStore } from '../src/backlog/backlog-change.store.js'
import type { BacklogChanges } from '../src/backlog/backlog-changes.service.js'
import { ReplayStore } from '../src/backlog/replay.store.js'
import { allEvents, backlogChangesOver, type Dispatching, startDispatching } from './dispatch-in-process.js'
import { eventId } from './reservation-event.js'

let { db, receivers, stop } = {} as Dispatching
let changes: BacklogChanges

beforeAll(async () => {
  ;({ db, receivers, stop } = await startDispatching())
  changes = backlogChangesOver(db.database)
})

afterAll(async () => {
  await changes.onModuleDestroy()
  await stop()
})

let connections = 0
async function connected(): Promise<string> {
  const id = `con_${++connections}`
  await db.connect({ connection_id: id })
  await db.configure(id)
  return id
}

const store = new AcknowledgementStore()
const acknowledge = (connectionId: string, ...sequences: number[]): Promise<number> =>
  db.database.transaction(async (tx) => {
    await store.lock(tx, connectionId)
    const ids = sequences.map((sequence) => eventId(connectionId, sequence))
    const writes = ids.map((event_id) => ({ event_id, outcome: 'processed' as const }))
    const { kept } = judgeAcknowledgements(writes, await store.find(tx, connectionId, ids))
    return store.keep(tx, connectionId, kept, 'req_1')
  })
let replays = 0
async function replay(connectionId: string, from: number, to: number): Promise<number> {
  const id = `rpl_${++replays}`
  const count = await db.database.transaction(async (tx) => {
    await new ReplayStore().hold(tx, connectionId)
    return new BacklogChangeStore().planReplay(tx, connectionId, id, { from, to })
  })
  await changes.settle(id)
  return count
}
const entries = (connectionId: string) => allEvents(db, connectionId)
const states = async (connectionId: string) => (await entries(connectionId)).map(({ state }) => state)
const sequencesAt = (connectionId: string) =>
  receivers.received.filter(({ callback }) => callback === connectionId).map(({ sequence }) => sequence)
const dueAt = async (connectionId: string) =>
  (await db.rows<{ due_at: Date }>('SELECT due_at FROM lane WHERE connection_id = $1', [connectionId]))[0]?.due_at
const lanes = async (connectionId: string) =>
  (await db.rows<{ n: number }>('SELECT count(*)::int AS n FROM lane WHERE connection_id = $1', [connectionId]))[0]!.n

describe('an acknowledgement', () => {
  it('supersedes deliveries that still wait, and the reservation continues', async () => {
    const id = await connected()
    receivers.react = ({ sequence }) => ({ status: sequence === 1 ? 500 : 200 })
    await db.record({ connectionId: id }, { connectionId: id }, { connectionId: id })
    await eventually(async () => expect((await entries(id))[0]!.attempts).toBe(1))
    expect(await acknowledge(id, 1, 2)).toBe(1)
    await eventually(async () => expect(await states(id)).toEqual(['superseded', 'superseded', 'delivered']))
    expect(sequencesAt(id)).toEqual([1, 3])
    await eventually(async () => expect(await lanes(id)).toBe(0))
  })

  it('keeps the reason as it was given, with characters of any kind', async () => {
    const id = await connected()
    await db.record({ connectionId: id }, { connectionId: id })
    const said = { outcome: 'rejected' as const, partnerReservationId: 'R-1' }
    const given = [
      { ...said, sequence: '1', reason: 'overbooked\x1e\x1f\n"é😀' },
      { ...said, sequence: '2', reason: null },
    ]
    await db.database.transaction((tx) => store.keep(tx, id, given, 'req_1'))
    const kept = await db.rows('SELECT sequence, reason FROM acknowledgement WHERE connection_id = $1 ORDER BY 1', [id])
    expect(kept).toEqual(given.map(({ sequence, reason }) => ({ sequence, reason })))
  })

  it("of a later event does not change the gap before an earlier one's next attempt", async () => {
    const id = await connected()
    receivers.react = () => ({ status: 500 })
    await db.record({ connectionId: id }, { connectionId: id })
    const wait = async () =>
      (
        await db.rows<{ ms: number }>(
          'SELECT (extract(epoch FROM due_at - now()) * 1000)::float8 AS ms FROM lane WHERE connection_id = $1',
          [id],
        )
      )[0]!.ms
    await eventually(async () => expect((await entries(id))[0]!.attempts).toBe(1))
    await db.rows(`UPDATE lane SET due_at = now() + interval '1 hour' WHERE connection_id = $1 RETURNING 1`, [id])
    await acknowledge(id, 2)
    expect(await states(id)).toEqual(['pending', 'superseded'])
    expect(await wait()).toBeGreaterThan(3_000_000)
    await acknowledge(id, 1)
    await eventually(async () => expect(await lanes(id)).toBe(0))
  })

  it('that arrives during a successful attempt leaves the event delivered', async () => {
    const id = await connected()
    receivers.react = () => ({ status: 200, after: 300 })
    await db.record({ connectionId: id })
    await eventually(() => expect(sequencesAt(id)).toEqual([1]))
    await acknowledge(id, 1)
    expect(await states(id)).toEqual(['superseded'])
    await eventually(async () => expect(await states(id)).toEqual(['delivered']))
    expect(await lanes(id)).toBe(0)
  })

  it('that arrives during a failing attempt lets the lane continue without the gap', async () => {
    const id = await connected()
    receivers.react = ({ sequence }) => (sequence === 1 ? { status: 500, after: 300 } : { status: 200 })
    await db.record({ connectionId: id }, { connectionId: id })
    await eventually(() => expect(sequencesAt(id)).toEqual([1]))
    await acknowledge(id, 1)
    await eventually(async () => expect(await states(id)).toEqual(['superseded', 'delivered']), { deadline: 3_000 })
  })
})

describe('a replay', () => {
  it('delivers again in order, and continues counting attempts', async () => {
    const id = await connected()
    receivers.react = () => ({ status: 200 })
    await db.record({ connectionId: id }, { connectionId: id }, { connectionId: id })
    await eventually(async () => expect(new Set(await states(id))).toEqual(new Set(['delivered'])))
    expect(await replay(id, 1, 2)).toBe(2)
    await eventually(async () => expect((await entries(id)).map(({ attempts }) => attempts)).toEqual([2, 2, 1]))
    expect(sequencesAt(id)).toEqual([1, 2, 3, 1, 2])
    await eventually(async () => expect(await lanes(id)).toBe(0))
  })

  it('of a failed event begins a new round of retries', async () => {
    const id = await connected()
    receivers.react = () => ({ status: 500 })
    await db.record({ connectionId: id })
    await eventually(async () => expect((await entries(id))[0]!.attempts).toBe(1))
    await db.rows(`UPDATE delivery SET state = 'failed', attempts = 15 WHERE connection_id = $1`, [id])
    await replay(id, 1, 1)
    await eventually(async () => expect((await entries(id))[0]).toMatchObject({ state: 'pending', attempts: 16 }))
  })

  it("of an older event does not change the gap before a later one's next attempt", async () => {
    const id = await connected()
    receivers.react = ({ sequence }) => ({ status: sequence === 1 ? 200 : 500 })
    await db.record({ connectionId: id }, { connectionId: id })
    await eventually(async () => expect((await entries(id)).map(({ attempts }) => attempts)).toEqual([1, 1]))
    const due = (await dueAt(id))!
    await replay(id, 1, 1)
    await eventually(async () => expect((await entries(id)).map(({ attempts }) => attempts)).toEqual([2, 1]))
    await eventually(async () => expect(await dueAt(id)).toEqual(due))
    expect(sequencesAt(id)).toEqual([1, 2, 1])
  })

  it("of a later event does not change the gap before the first one's next attempt", async () => {
    const id = await connected()
    receivers.react = () => ({ status: 500 })
    await db.record({ connectionId: id }, { connectionId: id })
    await eventually(async () => expect((await entries(id))[0]!.attempts).toBe(1))
    const due = await dueAt(id)
    await replay(id, 2, 2)
    expect(await dueAt(id)).toEqual(due)
    await replay(id, 1, 2)
    await eventually(async () => expect((await entries(id))[0]!.attempts).toBe(2))
  })

  it("of an event before the one in flight is delivered before that one's next attempt is due", async () => {
    const id = await connected()
    receivers.react = () => ({ status: 200 })
    await db.record({ connectionId: id })
    await eventually(async () => expect(await states(id)).toEqual(['delivered']))
    receivers.react = ({ sequence }) => ({ status: sequence === 2 ? 500 : 200, after: sequence === 2 ? 300 : 0 })
    await db.record({ connectionId: id })
    await eventually(() => expect(sequencesAt(id)).toEqual([1, 2]))
    await replay(id, 1, 1)
    await eventually(async () => expect((await entries(id)).map(({ attempts }) => attempts)).toEqual([2, 1]), {
      deadline: 3_000,
    })
  })

  it('of an event before the one in flight is not lost when that attempt ends', async () => {
    const id = await connected()
    receivers.react = () => ({ status: 200 })
    await db.record({ connectionId: id })
    await eventually(async () => expect(await states(id)).toEqual(['delivered']))
    receivers.react = ({ sequence }) => ({ status: 200, after: sequence === 2 ? 300 : 0 })
    await db.record({ connectionId: id })
    await eventually(() => expect(sequencesAt(id)).toEqual([1, 2]))
    await replay(id, 1, 1)
    await eventually(() => expect(sequencesAt(id)).toEqual([1, 2, 1]))
    await eventually(async () => expect(await lanes(id)).toBe(0))
  })
})
