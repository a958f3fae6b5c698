import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '@connectivity/testing/eventually'
import type { ServiceProcess } from '@connectivity/testing/service-process'
import { DispatchProcesses } from './dispatch-process.js'
import type { EventFacts } from './reservation-event.js'
import { type Manner, WatchingReceiver } from './watching-receiver.js'

/** DISPATCH_EVENTS=20000 is the full size: 50 callbacks of which 5 hang and 5 fail, killed every 3 s. */
const EVENTS = Number(process.env.DISPATCH_EVENTS ?? 1_000)
const IS_FULL = EVENTS >= 20_000
const CALLBACKS = IS_FULL ? 50 : 10
const SICK = CALLBACKS / 10
const RESERVATIONS = 7
const KILL_EVERY = 3_000
const BURST = 50
const BETWEEN_BURSTS = IS_FULL ? 50 : 500
const PATIENCE = EVENTS * 20 + 60_000

let dispatch: DispatchProcesses
let receiver: WatchingReceiver
let processes: [ServiceProcess, ServiceProcess]
beforeAll(async () => {
  dispatch = await DispatchProcesses.create()
  receiver = await new WatchingReceiver().start()
  processes = await Promise.all([dispatch.start(), dispatch.start()])
}, 60_000)
afterAll(async () => {
  await dispatch.stop()
  receiver.stop()
}, 60_000)

interface Registered {
  id: string
  manner: Manner
}

async function register(manner: Manner): Promise<Registered> {
  const id = `con_${randomUUID().replaceAll('-', '')}`
  await dispatch.connect({ connection_id: id })
  const { status } = await dispatch.call(processes[1], 'PUT', '/callback', {
    connection: id,
    body: { url: receiver.url(manner, id) },
  })
  expect(status).toBe(201)
  return { id, manner }
}

/** Events for the callbacks in turn, each in its own order. */
function eventsFor(callbacks: readonly Registered[], count: number): EventFacts[] {
  return Array.from({ length: count }, (_, index) => {
    const sequence = Math.floor(index / callbacks.length) + 1
    const connectionId = callbacks[index % callbacks.length]!.id
    return { connectionId, sequence, reservationId: `RSV-${sequence % RESERVATIONS}` }
  })
}

/** kill -9 of one process after the other, each back at once under its own name. */
async function killInTurns(isOver: () => boolean): Promise<void> {
  for (let kills = 0; kills < 2 || !isOver(); kills++) {
    await delay(KILL_EVERY)
    const victim = processes[kills % 2]!
    await victim.kill()
    await victim.start()
  }
}

/** Deliveries of the callbacks. */
async function count(callbacks: readonly Registered[], condition = 'true'): Promise<number> {
  const text = `SELECT count(*)::int AS n FROM delivery d WHERE connection_id = ANY ($1) AND ${condition}`
  return (await dispatch.sql.query<{ n: number }>(text, [callbacks.map(({ id }) => id)])).rows[0]!.n
}

/** The process that delivers to a callback at the moment. */
async function ownerOf({ id }: Registered): Promise<ServiceProcess> {
  const { rows } = await dispatch.sql.query<{ lease_owner: string }>(
    'SELECT lease_owner FROM callback WHERE connection_id = $1',
    [id],
  )
  return processes[Number(/^event-dispatch-(\d)-/.exec(rows[0]!.lease_owner)![1])]!
}

describe('two processes that are killed all the time', () => {
  it(
    'lose nothing, keep the order of every reservation and never deliver two of its events at once',
    async () => {
      const manners = Array.from({ length: CALLBACKS }, (_, index): Manner =>
        index < SICK ? 'hanging' : index < 2 * SICK ? 'failing' : 'well',
      )
      const callbacks: Registered[] = []
      for (const manner of manners) callbacks.push(await register(manner))
      const events = eventsFor(callbacks, EVENTS)
      const well = callbacks.filter(({ manner }) => manner === 'well')
      const expected = EVENTS / CALLBACKS
      const allCame = () => well.every(({ id }) => receiver.cameOf(id) === expected)
      const deadline = Date.now() + PATIENCE
      let published = false
      const killing = killInTurns(() => (published && allCame()) || Date.now() > deadline)
      for (let sent = 0; sent < EVENTS; sent += BURST) {
        await dispatch.publish(...events.slice(sent, sent + BURST))
        await delay(BETWEEN_BURSTS)
      }
      published = true
      await killing
      expect(well.map(({ id }) => receiver.cameOf(id))).toEqual(well.map(() => expected))
      await eventually(async () => expect(await count(well, `state <> 'delivered'`)).toBe(0))
      expect(receiver.violations).toEqual([])
      expect(await count(callbacks)).toBe(EVENTS)
      const stranded = `state = 'pending' AND NOT EXISTS (SELECT FROM lane l WHERE (l.connection_id, l.reservation_id) =
        (d.connection_id, d.reservation_id))`
      expect(await count(callbacks, stranded)).toBe(0)
    },
    PATIENCE + 60_000,
  )

  it('hand over within 35 s when one of them does not come back', async () => {
    const callbacks = [await register('well'), await register('well')]
    const events = eventsFor(callbacks, 200)
    await dispatch.publish(...events.slice(0, 100))
    await eventually(() => expect(callbacks.map(({ id }) => receiver.cameOf(id))).toEqual([50, 50]))
    await (await ownerOf(callbacks[0]!)).kill()
    const killedAt = Date.now()
    await dispatch.publish(...events.slice(100))
    await eventually(() => expect(callbacks.map(({ id }) => receiver.cameOf(id))).toEqual([100, 100]), {
      deadline: 60_000,
    })
    expect(Date.now() - killedAt).toBeLessThan(35_000)
    expect(receiver.violations).toEqual([])
  }, 90_000)
})
