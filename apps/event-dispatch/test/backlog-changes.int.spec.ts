import { eventually } from '@connectivity/testing/eventually'
import { AcknowledgementStore } from '../src/events/acknowledgement.store.js'
import { BacklogChangeStore } from '../src/backlog/backlog-change.store.js'
import { WaitingDeliveriesStore } from '../src/backlog/waiting-deliveries.store.js'
import { CallbackStore } from '../src/callbacks/callback.store.js'
import { EventIndexStore } from '../src/events/event-index.store.js'
import { ReplayStore } from '../src/backlog/replay.store.js'
import { backlogChangesOver, type DispatchDatabase, dispatchDatabase, dispatcherOver } from './dispatch-in-process.js'
import { FakeReceivers } from './fake-receiver.js'

/** DISPATCH_BACKLOG=500000 is the full size. */
const SIZE = Number(process.env.DISPATCH_BACKLOG ?? 3_500)
const PIECE = 1_000
const PER_RESERVATION = 7
const PATIENCE = SIZE / 5 + 30_000

let db: DispatchDatabase
beforeAll(async () => {
  db = await dispatchDatabase()
})
afterAll(() => db.end())

let connections = 0
/** Creates a connection with a callback and `SIZE` events, `perReservation` of them for each reservation. */
async function backlog(of: { state: string; dueIn: string; perReservation?: number }): Promise<string> {
  const id = `con_${++connections}`
  await db.connect({ connection_id: id })
  await db.configure(id, { state: 'suspended' })
  await db.rows(
    `WITH given AS (SELECT n AS sequence, 'RSV-' || (n % $2) AS reservation_id FROM generate_series(1, $3::integer) n),
     events AS (INSERT INTO event (connection_id, sequence, event_id, type, reservation_id, occurred_at, body)
       SELECT $1, sequence, 'evt_' || $1 || 'x' || sequence, 'reservation.modified', reservation_id, now(),
              '{"reservation_id":"' || reservation_id || '","sequence":' || sequence || ',"data":{}}' FROM given),
     deliveries AS (INSERT INTO delivery (connection_id, sequence, reservation_id, state)
       SELECT $1, sequence, reservation_id, $4 FROM given),
     summary AS (INSERT INTO event_summary (connection_id, unacknowledged) SELECT $1, count(*) FROM given)
     INSERT INTO lane (connection_id, reservation_id, arrivals, due_at)
     SELECT $1, reservation_id, count(*), now() + $5::interval FROM given WHERE $4 = 'pending' GROUP BY reservation_id`,
    [id, Math.ceil(SIZE / (of.perReservation ?? 1)), SIZE, of.state, of.dueIn],
  )
  return id
}
const count = async (from: string, condition: string, id: string) =>
  (
    await db.rows<{ n: number }>(`SELECT count(*)::int AS n FROM ${from} WHERE connection_id = $1 AND ${condition}`, [
      id,
    ])
  )[0]!.n
const isLeft = () => new BacklogChangeStore().isLeft(db.database, null)
const done = () => eventually(async () => expect(await isLeft()).toBe(false), { deadline: PATIENCE })
const waiting = new WaitingDeliveriesStore()

/** Works until there is progress, then stops as a process does; another one must do the rest. */
async function workAWhile(progress: () => Promise<number>): Promise<void> {
  const before = await progress()
  const changes = backlogChangesOver(db.database)
  await eventually(async () => expect(await progress()).not.toBe(before))
  await changes.onModuleDestroy()
}
async function workToTheEnd(): Promise<void> {
  const changes = backlogChangesOver(db.database)
  await done()
  await changes.onModuleDestroy()
}

describe('the backlog of a callback', () => {
  it(
    'is released in pieces, with acknowledgements in between, and by another process when one stops',
    async () => {
      const id = await backlog({ state: 'pending', dueIn: '1 hour' })
      await db.database.transaction(async (tx) => {
        await tx.query(`UPDATE callback SET state = 'active' WHERE connection_id = $1`, [id])
        await waiting.release(tx, id)
      })
      const due = () => count('lane', 'due_at <= now()', id)
      expect(await due()).toBe(PIECE)
      await workAWhile(due)
      expect(await due()).toBeLessThan(SIZE)
      await db.database.transaction((tx) => new AcknowledgementStore().lock(tx, id))
      await workToTheEnd()
      expect(await due()).toBe(SIZE)
    },
    PATIENCE,
  )

  it(
    'keeps a gap that began after the release',
    async () => {
      const id = await backlog({ state: 'pending', dueIn: '1 hour' })
      await db.database.transaction((tx) => waiting.release(tx, id))
      const [late] = await db.rows<{ reservation_id: string }>(
        `SELECT reservation_id FROM lane WHERE connection_id = $1 AND due_at > now() LIMIT 1`,
        [id],
      )
      await db.rows(
        `UPDATE delivery SET failed_at = clock_timestamp(), retry_at = now() + interval '1 hour'
        WHERE connection_id = $1 AND reservation_id = $2`,
        [id, late!.reservation_id],
      )
      await workToTheEnd()
      expect(
        await db.rows('SELECT reservation_id FROM lane WHERE connection_id = $1 AND due_at > now()', [id]),
      ).toEqual([late])
    },
    PATIENCE,
  )

  it(
    'ends in pieces with its callback, is shown as ended at once, and never goes to a new callback',
    async () => {
      const id = await backlog({ state: 'pending', dueIn: '0' })
      await db.database.transaction(async (tx) => {
        await tx.query('SELECT FROM callback WHERE connection_id = $1 FOR UPDATE', [id])
        await waiting.end(tx, id)
        await new CallbackStore().remove(tx, id)
      })
      const pending = () => count('delivery', `state = 'pending'`, id)
      expect(await pending()).toBe(SIZE - PIECE)
      expect((await new EventIndexStore(db.database).head(id)).endedSequence).toBe(SIZE)
      await db.configure(id)
      await db.record({ connectionId: id, sequence: SIZE + 1, reservationId: 'RSV-1' })
      const receivers = new FakeReceivers()
      const dispatcher = dispatcherOver(db.url, receivers, 'dispatch-1')
      await workAWhile(pending)
      const came = () => receivers.received.filter(({ callback }) => callback === id).map(({ sequence }) => sequence)
      expect(came()).toEqual([])
      await workToTheEnd()
      await eventually(async () => expect(await count('delivery', `state = 'delivered'`, id)).toBe(1))
      await dispatcher.stop()
      expect(came()).toEqual([SIZE + 1])
      expect(await pending()).toBe(0)
      expect(await count('delivery', `state = 'not_configured'`, id)).toBe(SIZE)
      expect(await count('lane', 'true', id)).toBe(0)
    },
    PATIENCE,
  )

  it(
    'is replayed in pieces, each reservation in one, even if new events arrive meanwhile',
    async () => {
      const id = await backlog({ state: 'delivered', dueIn: '0', perReservation: PER_RESERVATION })
      const replay = (from: number, to: number) =>
        db.database.transaction(async (tx) => {
          await new ReplayStore().hold(tx, id)
          return new BacklogChangeStore().planReplay(tx, id, `rpl_${from}`, { from, to })
        })
      expect(await replay(1, Number.MAX_SAFE_INTEGER)).toBe(SIZE)
      const again = () => count('delivery', `state = 'pending'`, id)
      await workAWhile(again)
      const pieces = await again()
      expect(pieces).toBeLessThan(SIZE)
      await db.record({ connectionId: id, sequence: SIZE + 1, reservationId: 'RSV-1' })
      const broken = await db.rows(
        `SELECT reservation_id FROM delivery WHERE connection_id = $1 AND sequence <= $2
        GROUP BY reservation_id HAVING count(DISTINCT state) > 1`,
        [id, SIZE],
      )
      expect(broken).toEqual([])
      await workToTheEnd()
      expect(await again()).toBe(SIZE + 1)
      expect(await count('lane', 'true', id)).toBe(Math.ceil(SIZE / PER_RESERVATION))
    },
    PATIENCE,
  )

  it('takes no further replay while more than 100 pieces wait', async () => {
    const store = new BacklogChangeStore()
    const isCrowded = () => db.database.transaction((tx) => store.isCrowded(tx, 'con_crowded'))
    const pieces = (count: number) =>
      db.rows(`INSERT INTO backlog_change (connection_id, kind, replay_id, sequences, due_at)
        SELECT 'con_crowded', 'replay', 'rpl_1', '{1}', now() + interval '1 hour' FROM generate_series(1, ${count})`)
    await pieces(100)
    expect(await isCrowded()).toBe(false)
    await pieces(1)
    expect(await isCrowded()).toBe(true)
    await db.rows(`DELETE FROM backlog_change WHERE connection_id = 'con_crowded'`)
  })

  it(
    'ends with its callback even if a replay of it is pending',
    async () => {
      const id = await backlog({ state: 'delivered', dueIn: '0' })
      await db.database.transaction((tx) =>
        new BacklogChangeStore().planReplay(tx, id, 'rpl_lost', { from: 1, to: SIZE }),
      )
      await db.database.transaction(async (tx) => {
        await tx.query('SELECT FROM callback WHERE connection_id = $1 FOR UPDATE', [id])
        await waiting.end(tx, id)
        await new CallbackStore().remove(tx, id)
      })
      await db.configure(id)
      await workToTheEnd()
      expect(await count('delivery', `state = 'pending'`, id)).toBe(0)
      expect(await count('lane', 'true', id)).toBe(0)
    },
    PATIENCE,
  )
})
