import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '@connectivity/testing/eventually'
import type { ServiceProcess } from '@connectivity/testing/service-process'
import { DispatchProcesses } from './dispatch-process.js'
import type { EventFacts } from './reservation-event.js'
import { type Manner, WatchingReceiver } from './watching-receiver.js'

/** DISPATCH_EVENTS=20000 is the full size: 50 callbacks of which 5 hang and 5 fail, and 12 kills. */
const EVENTS = Number(process.env.DISPATCH_EVENTS ?? 1_000)
const IS_FULL = EVENTS >= 20_000
const CALLBACKS = IS_FULL ? 50 : 10
const SICK = CALLBACKS / 10
const RESERVATIONS = 7
/** Number of kills, one after each equal share of the deliverable events. */
const KILLS = IS_FULL ? 12 : 3
const BURST = 50
const BETWEEN_BURSTS = IS_FULL ? 50 : 250
const PATIENCE = EVENTS * 20 + 60_000

let dispatch: DispatchProcesses
let receiver: WatchingReceiver
let processes: [ServiceProcess, ServiceProcess]
beforeAll(async () => {
  dispatch = await DispatchProcesses.create()
  receiver = await new WatchingReceiver().start()
  processes = await Promise.all([dispatch.start(), dispatch.start()])
})
afterAll(async () => {
  // Stop the receiver first, or the processes wait for the callbacks that hang.
  receiver.stop()
  await dispatch.stop()
})

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

/** Creates events for the callbacks in turn, in sequence for each callback. */
function eventsFor(callbacks: readonly Registered[], count: number): EventFacts[] {
  return Array.from({ length: count }, (_, index) => {
    const sequence = Math.floor(index / callbacks.length) + 1
    const connectionId = callbacks[index % callbacks.length]!.id
    return { connectionId, sequence, reservationId: `RSV-${sequence % RESERVATIONS}` }
  })
}

/**
 * Kills the processes in turn with kill -9; each restarts at once under its own name.
 * @param share of the events that have arrived, from 0 to 1
 */
async function killInTurns(share: () => number): Promise<void> {
  for (let kills = 0; kills < KILLS; kills++) {
    await eventually(() => expect(share()).toBeGreaterThan((kills + 1) / (KILLS + 1)), { deadline: PATIENCE })
    const victim = processes[kills % 2]!
    await victim.kill()
    await victim.start()
  }
}

async function publishInBursts(events: readonly EventFacts[]): Promise<void> {
  for (let sent = 0; sent < events.length; sent += BURST) {
    await dispatch.publish(...events.slice(sent, sent + BURST))
    await delay(BETWEEN_BURSTS)
  }
}

/** Counts deliveries of the callbacks. */
async function count(callbacks: readonly Registered[], condition = 'true'): Promise<number> {
  const text = `SELECT count(*)::int AS n FROM delivery d WHERE connection_id = ANY ($1) AND ${condition}`
  return (await dispatch.sql.query<{ n: number }>(text, [callbacks.map(({ id }) => id)])).rows[0]!.n
}

/** Returns the process that holds the callback's lease. */
async function ownerOf({ id }: Registered): Promise<ServiceProcess> {
  const { rows } = await dispatch.sql.query<{ lease_owner: string }>(
    'SELECT lease_owner FROM callback WHERE connection_id = $1',
    [id],
  )
  return processes[Number(/^event-dispatch-(\d)-/.exec(rows[0]!.lease_owner)![1])]!
}

describe('two processes that are killed repeatedly', () => {
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
      const came = () => well.map(({ id }) => receiver.cameOf(id))
      const share = () => came().reduce((sum, count) => sum + count) / (well.length * expected)
      await Promise.all([publishInBursts(events), killInTurns(share)])
      await eventually(() => expect(came()).toEqual(well.map(() => expected)), { deadline: PATIENCE })
      await eventually(async () => expect(await count(well, `state <> 'delivered'`)).toBe(0))
      expect(receiver.violations).toEqual([])
      // Events of failing callbacks may still wait in partitions that a killed process has just given up.
      await eventually(async () => expect(await count(callbacks)).toBe(EVENTS))
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
    await eventually(() => expect(callbacks.map(({ id }) => receiver.cameOf(id))).toEqual([100, 100]))
    expect(Date.now() - killedAt).toBeLessThan(35_000)
    expect(receiver.violations).toEqual([])
  })
})
