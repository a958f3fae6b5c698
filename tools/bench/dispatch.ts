// Cost of a delivery: events in over Kafka, signed posts out in order, compared with a bare loop of signed posts.
//   npm run bench -- dispatch          deliveries/s and CPU with 1, 10 and 100 callbacks, latency at 50 events/s
//   npm run bench -- dispatch sick     40 healthy callbacks alone, and beside 5 that hang and 5 that fail
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { setTimeout as delay } from 'node:timers/promises'
import { type OwnStack, withOwnStack } from '@connectivity/toolkit/own-stack'
import { cpuBetween, cpuOf, type CpuTimes, type Pids } from '@connectivity/toolkit/cpu'
import { envelope, EventSource } from './dispatch/events.ts'
import type { FloorWork } from './dispatch/floor.ts'
import { registerCallbacks } from './dispatch/partner.ts'
import type { Received } from './dispatch/receiver.ts'
import { type Receiver, startReceiver } from './dispatch/receiver-process.ts'
import { inTurn } from '@connectivity/toolkit/present'
import { type Report, type Row, sumOf } from './report/report.ts'
import { reportProfile } from './profile-table.ts'
import { median, percentiles } from '@connectivity/toolkit/statistics'

const EVENTS = 20_000
const RESERVATIONS = 200
const WARM_UP = 5_000
const CONCURRENCY = 16
/** Number of callbacks at which event dispatch is also profiled. */
const PROFILED = 10
const RATE = 50
const RATE_SECONDS = 20

interface Context {
  demo: OwnStack
  receiver: Receiver
  source: EventSource
  pids: Pids
}

/** Deliveries per second, and CPU ms per delivery of each process. */
interface Measured {
  rate: number
  cpu: CpuTimes
}

const startFloor = (): ChildProcess => fork(fileURLToPath(new URL('dispatch/floor.ts', import.meta.url)))

const numbered = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `/${prefix}/${index}`)

/** Ids of new connections with callbacks at these paths. */
const registered = async ({ demo, receiver }: Context, paths: readonly string[]): Promise<readonly string[]> =>
  (await registerCallbacks(demo, { receiver: receiver.origin, paths })).ids

/** Publishes and waits for the receiver. */
async function deliver(
  { source, receiver, pids }: Context,
  connections: readonly string[],
  count: number,
): Promise<Measured & { report: Received }> {
  receiver.reset()
  const before = cpuOf(pids)
  await source.publish({ count, connections, reservations: RESERVATIONS })
  const report = await receiver.reportOf(count)
  await delay(500)
  const cpu = cpuBetween(before, cpuOf(pids), count * 1000)
  return { report, cpu, rate: (count * 1000) / (report.lastWellAt - report.firstAt) }
}

const row = (name: string, { rate, cpu }: Measured, remark: string): Row => ({
  name,
  cpu,
  also: { 'deliveries/s': rate, remark },
})

async function floor({ receiver }: Context): Promise<Measured> {
  const loop = startFloor()
  const text = JSON.stringify(envelope('con_floor', 1, 'RSV-1'))
  const round = async (count: number): Promise<Measured> => {
    receiver.reset()
    const pids = { loop: loop.pid }
    const before = cpuOf(pids)
    const startedAt = performance.now()
    loop.send({ origin: receiver.origin, count, text, concurrency: CONCURRENCY } satisfies FloorWork)
    await once(loop, 'message')
    const rate = (count * 1000) / (performance.now() - startedAt)
    return { rate, cpu: cpuBetween(before, cpuOf(pids), count * 1000) }
  }
  await round(WARM_UP)
  const measured = await round(EVENTS)
  loop.kill()
  return measured
}

async function throughput(context: Context, report: Report): Promise<void> {
  const rows: Row[] = []
  for (const count of [1, 10, 100]) {
    const connections = await registered(context, numbered(`well-${count}`, count))
    await deliver(context, connections, WARM_UP)
    rows.push(
      row(`bare loop of signed posts, round ${rows.length / 2 + 1}`, await floor(context), 'no order, nothing kept'),
    )
    const made = await deliver(context, connections, EVENTS)
    const { outOfOrder, events } = made.report
    rows.push(row(`${count} callback(s)`, made, `${outOfOrder} out of order, ${events - EVENTS} repeated`))
    report.figure({ name: `${count} callback(s)`, value: made.rate, unit: 'deliveries/s', atLeast: 5_500 })
    report.figure({ name: `${count} callback(s)`, value: sumOf(made.cpu), unit: 'CPU ms a delivery', atMost: 0.25 })
    if (count !== PROFILED) continue
    const profiled = { name: 'dispatch', pid: context.demo.processes['event-dispatch'].pid }
    const costs = { cpu: made.cpu, unit: 'ms per delivery' }
    await reportProfile(report, `${count} callback(s)`, [profiled], costs, () => deliver(context, connections, EVENTS))
  }
  report.table({ title: `${EVENTS} events in order to their receivers`, unit: 'ms per delivery', rows })
}

async function latency(context: Context, report: Report): Promise<void> {
  const { receiver, source } = context
  const connections = await registered(context, numbered('latency', 10))
  receiver.reset()
  for (let second = 0; second < RATE_SECONDS; second++) {
    for (let index = 0; index < RATE; index++) {
      const connection = inTurn(connections, index)
      await Promise.all([
        source.publish({ count: 1, connections: [connection], reservations: 1_000 }),
        delay(1000 / RATE),
      ])
    }
  }
  const { delays } = await receiver.reportOf(RATE * RATE_SECONDS)
  const { p50, p90, p99 } = percentiles(delays)
  const title = `from publishing an event to its receiver, ${RATE}/s over 10 callbacks, ms`
  report.table({ title, rows: [{ name: 'event-dispatch', also: { p50, p90, p99 } }] })
  report.figure({ name: 'event to receiver, median', value: p50, unit: 'ms', atMost: 4 })
  report.figure({ name: 'event to receiver, p99', value: p99, unit: 'ms', atMost: 12 })
}

async function sick(context: Context, report: Report): Promise<void> {
  const { receiver, source } = context
  const well = await registered(context, numbered('healthy', 40))
  const [hanging, failing] = [numbered('hanging', 5), numbered('failing', 5)]
  const ill = await registered(context, [...hanging, ...failing])
  await deliver(context, well, WARM_UP)
  const count = (EVENTS * 40) / 50
  const took = async (others: readonly string[]): Promise<Received & { rate: number }> => {
    receiver.reset()
    const startedAt = Date.now()
    const publishing = source.publish({ count: EVENTS, connections: [...well, ...others], reservations: RESERVATIONS })
    const expected = others.length === 0 ? EVENTS : count
    const report = await receiver.reportOf(expected)
    await publishing
    return { ...report, rate: (expected * 1000) / (report.lastWellAt - startedAt) }
  }
  const rows = []
  for (let round = 0; round < 3; round++) {
    const alone = await took([])
    const beside = await took(ill)
    const also = { 'alone, deliveries/s': alone.rate, 'beside, deliveries/s': beside.rate }
    const ratio = beside.rate / alone.rate
    rows.push({
      name: `round ${round + 1}`,
      also: { ...also, ratio, 'out of order': alone.outOfOrder + beside.outOfOrder },
    })
  }
  report.table({ title: '40 healthy callbacks alone, and beside 5 that hang and 5 that fail', rows })
  const ratio = median(rows.map(({ also }) => also.ratio))
  report.figure({ name: 'healthy beside sick callbacks ÷ alone, median', value: ratio, atLeast: 0.9 })
}

/** Reports deliveries/s and CPU, compared with a bare loop of posts; with `sick`, the cost of sick callbacks. */
export async function bench([mode]: string[], report: Report): Promise<void> {
  await withOwnStack(async (demo) => {
    const receiver = await startReceiver()
    const source = await new EventSource(demo.kafka.brokers).open()
    const pid = (name: keyof OwnStack['processes']) => demo.processes[name].pid
    const pids = { dispatch: pid('event-dispatch'), PostgreSQL: pid('postgres'), Kafka: pid('kafka') }
    try {
      const context = { demo, receiver, source, pids }
      if (mode === 'sick') return await sick(context, report)
      await throughput(context, report)
      await latency(context, report)
    } finally {
      receiver.end()
      await source.close()
    }
  })
}
