// Memory of every service for many connections, each with a property, a feed, a booking, and a callback:
//   npm run bench -- scale [--connections n]
import { parseArgs } from 'node:util'
import { setTimeout as delay } from 'node:timers/promises'
import { publish } from '../../deploy/local/demo/booking-engine.ts'
import { get } from '@connectivity/toolkit/partner'
import { properties } from '../../deploy/local/demo/properties.ts'
import { type OwnStack, withOwnStack } from '@connectivity/toolkit/own-stack'
import { collectGarbage } from '@connectivity/toolkit/inspector'
import { residentBytes } from '@connectivity/toolkit/memory'
import { present } from '@connectivity/toolkit/present'
import { type Registered, registerCallbacks } from './dispatch/partner.ts'
import { type Receiver, startReceiver } from './dispatch/receiver-process.ts'
import { booking } from './feed/source.ts'
import type { Report } from './report/report.ts'

const SERVICES = ['gateway', 'catalog', 'reservation-feed', 'ari', 'event-dispatch'] as const
/** Connections that use everything before the first reading, so that code and pools do not count. */
const FIRST = 500
/** Registrations at the same time. */
const AT_ONCE = 8
/** Properties and bookings published together. */
const TOGETHER = 1_000
/** Rest before a reading, ms: garbage of the work before it is collected meanwhile. */
const SETTLED = 20_000
/** Time in which V8 gives back the memory of collected garbage, ms. */
const COLLECTED = 2_000

interface Context {
  demo: OwnStack
  receiver: Receiver
}

const slices = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size))

const snapshotOf = (property_id: string) => ({ ...present(properties[0], 'property').snapshot, property_id })

/** Connects the properties, books each once, waits for the callbacks, and polls each feed. */
async function use({ demo, receiver }: Context, propertyIds: readonly string[]): Promise<void> {
  const { brokers } = demo.kafka
  for (const ids of slices(propertyIds, TOGETHER)) await publish(brokers, { properties: ids.map(snapshotOf) })
  const parts = slices(propertyIds, Math.ceil(propertyIds.length / AT_ONCE))
  const register = (paths: readonly string[]) =>
    registerCallbacks(demo, {
      receiver: receiver.origin,
      paths: paths.map((id) => `/${id}`),
      propertyOf: (path) => path.slice(1),
    })
  const registered = await Promise.all(parts.map(register))
  receiver.reset()
  const room = present(properties[0]?.snapshot.rooms[0], 'room').room_id
  for (const ids of slices(propertyIds, TOGETHER))
    await publish(brokers, {
      bookings: ids.map((id, index) => ({ ...booking(id, index, { room }), reservation_id: `RSV-${id}` })),
    })
  await receiver.reportOf(propertyIds.length)
  await Promise.all(registered.map((part) => poll(demo, part)))
}

async function poll({ base_url }: OwnStack, { ids, signing }: Registered): Promise<void> {
  for (const property_id of ids) {
    const { status } = await get(base_url, '/reservations', { property_id }, signing)
    if (status !== 200) throw new Error(`a poll of ${property_id} answered ${status}`)
  }
}

/** Resident memory of each service, MB. */
type Memory = Record<(typeof SERVICES)[number], number>

/** Memory at rest, and what is left of it once its garbage is collected. */
interface Reading {
  rest: Memory
  used: Memory
}

const memoryOf = ({ processes }: OwnStack): Memory =>
  Object.fromEntries(SERVICES.map((name) => [name, residentBytes(processes[name].pid) / 1e6])) as Memory

async function readMemory({ demo }: Context): Promise<Reading> {
  await delay(SETTLED)
  const rest = memoryOf(demo)
  for (const name of SERVICES) await collectGarbage(demo.processes[name].pid)
  await delay(COLLECTED)
  return { rest, used: memoryOf(demo) }
}

export const bench = (args: string[], report: Report): Promise<void> =>
  withOwnStack(async (demo) => {
    const { values } = parseArgs({ args, options: { connections: { type: 'string', default: '10000' } } })
    const count = Number(values.connections)
    const propertyIds = Array.from({ length: FIRST + count }, (_, index) => `prop_scale_${index}`)
    const receiver = await startReceiver()
    try {
      const context = { demo, receiver }
      await use(context, propertyIds.slice(0, FIRST))
      const before = await readMemory(context)
      await use(context, propertyIds.slice(FIRST))
      const after = await readMemory(context)
      // Uncollected garbage varies by more than the connections need.
      const grown = (name: keyof Memory) => after.used[name] - before.used[name]
      const rows = SERVICES.map((name) => {
        const used = { [`after ${FIRST}, MB`]: before.used[name], 'with all, MB': after.used[name] }
        return { name, also: { ...used, 'growth, MB': grown(name), 'with garbage, MB': after.rest[name] } }
      })
      report.table({ title: `memory at rest, ${count} further connections with a callback each`, rows })
      report.figure({ name: 'growth of the largest', value: Math.max(...SERVICES.map(grown)), unit: 'MB', atMost: 150 })
    } finally {
      receiver.end()
    }
  })
