// 5,000 requests wait for changes at one gateway: its memory and CPU meanwhile, and how fast a change wakes others.
import { setTimeout as delay } from 'node:timers/promises'
import type { DemoConnection } from '@connectivity/toolkit/hand-over'
import { OperatorsApi } from '@connectivity/toolkit/operators-api'
import { pullFeed, type SigningKey } from '@connectivity/toolkit/partner'
import { until } from '@connectivity/toolkit/until'
import { type OwnStack, withOwnStack } from '@connectivity/toolkit/own-stack'
import { residentBytes } from '@connectivity/toolkit/memory'
import { metricsOf, sumOfMetric } from '@connectivity/toolkit/metrics'
import { percentiles } from '@connectivity/toolkit/statistics'
import { withBareProcesses } from './bare.ts'
import { cpuOf } from '@connectivity/toolkit/cpu'
import { applicationOf } from './demo.ts'
import { booking, producerOf } from './feed/source.ts'
import { inProduction, roomOf } from './gateway.ts'
import type { Report } from './report/report.ts'
import { WaitingClients } from './wait/waiting-clients.ts'

const REQUESTS = 5_000
/** Requests of each connection: two for reservations and two for events. */
const PER_CONNECTION = 4
const CONNECTIONS = REQUESTS / PER_CONNECTION
/** Connections that are created at the same time. */
const AT_ONCE = 8
/** Time over which the CPU is measured, ms. */
const WINDOW = 5_000
/**
 * Time after the last request's arrival in which the first looks end and their garbage is collected, ms. This and the
 * window are part of the 25 s that requests wait.
 */
const SETTLED = 7_000
const CHANGES = 100
/** Pause between changes, ms. */
const PAUSE = 50

/** Creates connections whose feeds are empty, because the booking engine has not named their properties. */
async function createConnections(demo: OwnStack): Promise<string[]> {
  const api = new OperatorsApi(demo.ops.base_url, demo.ops.token, 'benchmark')
  const { application_id } = applicationOf(demo)
  const names = Array.from({ length: CONNECTIONS }, (_, index) => `wait-${index}`)
  const created: string[] = []
  const createNext = async () => {
    for (let name = names.pop(); name !== undefined; name = names.pop())
      created.push(await api.connect({ application_id, source_property_id: name, external_property_id: name }))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, createNext))
  return created
}

const megabytesOf = (pid: number): number => residentBytes(pid) / 1e6

/** Memory that node:http alone needs for the same requests, MB. */
const floorOf = (key: SigningKey, ids: readonly string[]): Promise<number> =>
  withBareProcesses(async (start) => {
    const bare = await start(new URL('wait/unanswered.ts', import.meta.url), {})
    const count = async () => Number(await (await fetch(`${bare.origin}/count`)).text())
    await count()
    const memory = megabytesOf(bare.pid!)
    const clients = new WaitingClients(bare.origin, key)
    try {
      clients.start(ids, PER_CONNECTION / 2)
      const complaint = () => `${REQUESTS} requests did not arrive`
      await until(async () => (await count()) >= REQUESTS, { within: 60_000, every: 200, complaint })
      await delay(SETTLED)
      return megabytesOf(bare.pid!) - memory
    } finally {
      await clients.stop()
    }
  })

/** Sum of a gauge or counter of the gateway over the series whose labels contain `label`. */
const metric = async ({ ops }: OwnStack, name: string, label = ''): Promise<number> =>
  sumOfMetric(await metricsOf(ops.base_url), name, label)

/** Share of one core that the gateway uses. */
async function shareOfCore(pid: number): Promise<number> {
  const [before, begin] = [cpuOf({ pid }).pid ?? NaN, performance.now()]
  await delay(WINDOW)
  return ((cpuOf({ pid }).pid ?? NaN) - before) / 1000 / (performance.now() - begin)
}

/** Publishes changes one by one; each wakes a partner that waits. @returns times from stamp to arrival, ms */
async function wakeUps(demo: OwnStack, connection: DemoConnection, watcher: WaitingClients): Promise<number[]> {
  const producer = await producerOf(demo.kafka.brokers)
  const seen = watcher.follow(connection.property_id)
  const room = roomOf(connection)
  for (let index = 0; index < CHANGES; index++) {
    await delay(PAUSE)
    await producer.sendBookings([booking(connection.source_property_id, index, { room })])
    await until(() => seen.length > index, { within: 30_000, every: 1, complaint: () => 'a change woke no request' })
  }
  await producer.disconnect()
  return seen
}

/** Figures of a gateway where `clients` wait for the connections. */
async function measure(
  demo: OwnStack,
  clients: WaitingClients,
  { connection, ids }: { connection: DemoConnection; ids: readonly string[] },
  report: Report,
): Promise<void> {
  const gateway = demo.processes.gateway.pid
  await pullFeed(demo.base_url, connection)
  await delay(SETTLED)
  const [memory, atRest] = [megabytesOf(gateway), await shareOfCore(gateway)]
  clients.start(ids, PER_CONNECTION / 2)
  const complaint = () => `${REQUESTS} requests did not wait at the same time`
  const allWait = async () => (await metric(demo, 'connectivity_waiting_requests')) >= REQUESTS
  await until(allWait, { within: 60_000, every: 200, complaint })
  await delay(SETTLED)
  const core = (await shareOfCore(gateway)) - atRest
  const grown = megabytesOf(gateway) - memory
  const latency = percentiles(await wakeUps(demo, connection, clients))
  const title = `commit to first byte at a waiting partner, beside ${REQUESTS} waiting requests, ms`
  report.table({ title, rows: [{ name: `${CHANGES} changes`, also: { ...latency } }] })
  report.figure({ name: 'memory of the gateway for all waiting requests', value: grown, unit: 'MB', atMost: 100 })
  report.figure({ name: 'a core while all wait, beyond rest', value: core * 100, unit: '%', atMost: 2 })
  report.figure({ name: 'wake-up, median', value: latency.p50, unit: 'ms', atMost: 50 })
  const lost = await metric(demo, 'connectivity_waits_ended_total', 'by="backstop"')
  report.figure({ name: 'wake-ups lost', value: lost, atMost: 0 })
}

export const bench = (_options: string[], report: Report): Promise<void> =>
  withOwnStack(async (demo) => {
    const connection = await inProduction(demo)
    // The demo's own key is for one connection only.
    const key = await new OperatorsApi(demo.ops.base_url, demo.ops.token, 'benchmark').issueSigning(
      connection.property_id,
    )
    const ids = await createConnections(demo)
    const clients = new WaitingClients(demo.base_url, key)
    try {
      await Promise.race([measure(demo, clients, { connection, ids }, report), clients.failed])
    } finally {
      await clients.stop()
    }
    const floor = await floorOf(key, ids)
    report.figure({ name: 'memory of bare node:http for the same requests', value: floor, unit: 'MB' })
  })
