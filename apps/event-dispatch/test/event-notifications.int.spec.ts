import type { DeliveryState } from '@connectivity/contracts/event-index'
import { eventually } from '@connectivity/testing/eventually'
import { Client } from 'pg'
import { BacklogChangeStore } from '../src/backlog/backlog-change.store.js'
import { WaitingDeliveriesStore } from '../src/backlog/waiting-deliveries.store.js'
import { CallbackStore } from '../src/callbacks/callback.store.js'
import { AcknowledgementStore } from '../src/events/acknowledgement.store.js'
import { EventIndexStore } from '../src/events/event-index.store.js'
import { backlogChangesOver, type DispatchDatabase, dispatchDatabase, dispatcherOver } from './dispatch-in-process.js'
import { FakeReceivers } from './fake-receiver.js'
import { eventId } from './reservation-event.js'

/** More than one piece of a backlog, and more than one notification can name. */
const MANY = 1_200

let db: DispatchDatabase
let listener: Client
/** Payloads of all notifications so far. */
const heard: string[] = []
beforeAll(async () => {
  db = await dispatchDatabase()
  listener = new Client({ connectionString: db.url })
  await listener.connect()
  listener.on('notification', ({ payload }) => heard.push(payload!))
  await listener.query('LISTEN event_index')
})
afterAll(async () => {
  await listener.end()
  await db.end()
})

let id: string
let connections = 0
beforeEach(async () => {
  id = `con_${++connections}`
  await db.connect({ connection_id: id })
})

/** How often the connection has been named by commits so far. */
async function named(): Promise<number> {
  // Notifications of commits before this query come before its answer.
  await listener.query('SELECT 1')
  return heard.filter((payload) => payload.split(' ').includes(id)).length
}

/** Does something, and returns how often it has named the connection. */
async function namedBy(work: () => Promise<unknown>): Promise<number> {
  const before = await named()
  await work()
  return (await named()) - before
}

/** Sequences that a partner sees with `state=`. */
async function shown(state: DeliveryState): Promise<number[]> {
  const store = new EventIndexStore(db.database)
  const range = { filter: 'all', state, order: 'asc', after: 0, before: null } as const
  const entries = await store.entries(id, range, await store.head(id), 2 * MANY)
  return entries.map(({ sequence }) => sequence)
}

const record = (count = 1) =>
  db.record(...Array.from({ length: count }, (_, index) => ({ connectionId: id, reservationId: `RSV-${index}` })))
const suspended = () => db.configure(id, { state: 'suspended' })
const isShown = (state: DeliveryState, sequences = [1]) =>
  eventually(async () => expect(await shown(state)).toEqual(sequences))

/** Runs a dispatcher until the first event of the connection has the state. */
async function dispatched(state: DeliveryState, status: number | null): Promise<void> {
  const receivers = new FakeReceivers(() => ({ status }))
  const dispatcher = dispatcherOver(db.url, receivers, `dispatch-${id}`)
  await isShown(state)
  const stopped = dispatcher.stop()
  receivers.release()
  await stopped
}
const acknowledged = () =>
  db.database.transaction(async (tx) => {
    const store = new AcknowledgementStore()
    await store.lock(tx, id)
    const processed = { sequence: '1', outcome: 'processed', partnerReservationId: null, reason: null } as const
    await store.keep(tx, id, [processed], 'test')
  })
const replayed = async () => {
  const plans = new BacklogChangeStore()
  const selection = { eventIds: [eventId(id, 1)] }
  await db.database.transaction((tx) => plans.planReplay(tx, id, `rpl_${id}`, selection))
  await backlogChanged()
}
/** Changes the backlogs until nothing is left. */
async function backlogChanged(): Promise<void> {
  const changes = backlogChangesOver(db.database)
  await eventually(async () => expect(await new BacklogChangeStore().isLeft(db.database, null)).toBe(false))
  await changes.onModuleDestroy()
}
const removed = () =>
  db.database.transaction(async (tx) => {
    const callbacks = new CallbackStore()
    await callbacks.lock(tx, id)
    await callbacks.remove(tx, id)
    await new WaitingDeliveriesStore().end(tx, id)
  })

describe('a commit names the connection when an event becomes', () => {
  it('delivered', async () => {
    await db.configure(id)
    await record()
    expect(await namedBy(() => dispatched('delivered', 204))).toBe(1)
  })

  it('failed', async () => {
    await db.configure(id)
    await record()
    await db.rows('UPDATE delivery SET attempts = 1000 WHERE connection_id = $1', [id])
    expect(await namedBy(() => dispatched('failed', 500))).toBe(1)
  })

  it('superseded', async () => {
    await suspended()
    await record()
    expect(await namedBy(acknowledged)).toBe(1)
    await isShown('superseded')
  })

  it('pending again by a replay', async () => {
    await db.configure(id)
    await record()
    await dispatched('delivered', 204)
    expect(await namedBy(replayed)).toBe(1)
    await isShown('pending')
  })

  it('held or pending by a change of its callback', async () => {
    await db.configure(id)
    await record()
    expect(await namedBy(suspended)).toBe(1)
    await isShown('held')
    expect(await namedBy(() => db.configure(id))).toBe(1)
    await isShown('pending')
  })

  it('held because its callback answers 410', async () => {
    await db.configure(id)
    await record()
    expect(await namedBy(() => dispatched('held', 410))).toBe(1)
  })

  it('held or pending by a change of its connection', async () => {
    await db.configure(id)
    await record()
    expect(await namedBy(() => db.connect({ connection_id: id, state: 'disabled', version: 2 }))).toBe(1)
    await isShown('held')
    expect(await namedBy(() => db.connect({ connection_id: id, state: 'production', version: 3 }))).toBe(1)
    await isShown('pending')
  })

  it('pending because its connection becomes known', async () => {
    id = `con_late_${connections}`
    await db.configure(id)
    await record()
    await isShown('held')
    expect(await namedBy(() => db.connect({ connection_id: id }))).toBe(1)
    await isShown('pending')
  })

  it('not configured by the end of its callback', async () => {
    await suspended()
    await record()
    expect(await namedBy(removed)).toBe(1)
    await isShown('not_configured')
  })

  it('not configured, including deliveries that are ended in a later piece', async () => {
    await suspended()
    await record(MANY)
    expect(await namedBy(removed)).toBe(1)
    expect(await shown('not_configured')).toHaveLength(MANY)
    await backlogChanged()
    expect(await shown('not_configured')).toHaveLength(MANY)
  })
})

it('a commit names all connections that it concerns', async () => {
  const ids = Array.from({ length: 250 }, (_, index) => `con_many_${index}`)
  await db.connect(...ids.map((connection_id) => ({ connection_id })))
  await db.record(...ids.map((connectionId) => ({ connectionId })))
  await named()
  heard.length = 0
  await db.rows(`UPDATE delivery SET state = 'delivered' WHERE connection_id = ANY ($1)`, [ids])
  await named()
  expect(heard.flatMap((payload) => payload.split(' ')).sort()).toEqual(ids.toSorted())
  expect(heard).toHaveLength(3)
})

describe('a commit names nothing when', () => {
  it('an attempt fails that is tried again', async () => {
    await db.configure(id)
    await record()
    const receivers = new FakeReceivers(() => ({ status: 500 }))
    const before = await named()
    const dispatcher = dispatcherOver(db.url, receivers, `dispatch-${id}`)
    const failed = 'SELECT FROM delivery WHERE connection_id = $1 AND failed_at IS NOT NULL'
    await eventually(async () => expect(await db.rows(failed, [id])).toHaveLength(1))
    await dispatcher.stop()
    expect(await named()).toBe(before)
  })

  it('a connection changes, but not its state', async () => {
    const change = () => db.connect({ connection_id: id, external_property_id: 'PMS-200', version: 2 })
    expect(await namedBy(change)).toBe(0)
  })
})
