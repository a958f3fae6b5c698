// Calls of one cell, compared with two bare processes that upsert the same cell.
import { setTimeout as delay } from 'node:timers/promises'
import { inTurn, present } from '@connectivity/toolkit/present'
import { median, percentiles } from '@connectivity/toolkit/statistics'
import type { Pids } from '@connectivity/toolkit/cpu'
import { type Report, type Row, sumOf } from '../report/report.ts'
import { type ProfiledProcess, reportProfile } from '../profile-table.ts'
import { type Measured, measured, nextPrice, perCall } from './measured.ts'
import { WritingPartner } from './partner.ts'
import type { BenchProperty } from './property.ts'

const ROUNDS = 4
const SECONDS = 4
const WARM_UP = 2
/** Aim of the rate; latency is measured at half of it. */
const CALLS_PER_SECOND = 1_200

/** One of the candidates that are compared. */
export interface Side {
  name: string
  origin: string
  pids: Pids
}

/** Clients that write at once, each to a cell of its own. */
interface Load {
  name: string
  clients: number
  properties: readonly BenchProperty[]
  /** Processes of the system to profile. */
  profiled: readonly ProfiledProcess[]
}

/** A round of calls. */
interface Calls extends Measured {
  count: number
  /** Latency of each call, ms. */
  latencies: number[]
}

type Write = (client: number) => Promise<unknown>

function writeOf(partner: WritingPartner, { properties }: Load, dates: readonly string[]): Write {
  return (client) => {
    const property = inTurn(properties, client)
    const room = inTurn(property.rooms, Math.floor(client / properties.length))
    const date = inTurn(dates, client)
    return partner.price(property, [room], [date, date], nextPrice())
  }
}

async function timed(latencies: number[], work: () => Promise<unknown>, begin = performance.now()): Promise<void> {
  await work()
  latencies.push(performance.now() - begin)
}

/** Every client sends its next call when the last one has been answered. */
async function atFullSpeed(write: Write, clients: number, seconds: number, pids: Pids): Promise<Calls> {
  const latencies: number[] = []
  const seen = await measured(pids, async () => {
    const end = performance.now() + seconds * 1000
    const client = async (index: number): Promise<void> => {
      while (performance.now() < end) await timed(latencies, () => write(index))
    }
    await Promise.all(Array.from({ length: clients }, (_, index) => client(index)))
  })
  return { ...seen, count: latencies.length, latencies }
}

/** Calls are sent at a steady rate, and timed from when each is due. */
async function atHalfSpeed(write: Write, clients: number): Promise<number[]> {
  const latencies: number[] = []
  const begin = performance.now()
  const calls: Promise<void>[] = []
  const gap = 2_000 / CALLS_PER_SECOND
  for (let index = 0; index * gap < SECONDS * 1000; index++) {
    const due = begin + index * gap
    if (due > performance.now()) await delay(due - performance.now())
    calls.push(timed(latencies, () => write(index % clients), due))
  }
  await Promise.all(calls)
  return latencies
}

const rate = (rounds: readonly Calls[]): number =>
  median(rounds.map(({ count, milliseconds }) => (count / milliseconds) * 1000))

function rowOf(name: string, rounds: readonly Calls[]): Row {
  const { p50, p99 } = percentiles(rounds.flatMap(({ latencies }) => latencies))
  return {
    name,
    cpu: perCall(rounds, ({ count }) => count),
    also: { 'calls/s': rate(rounds), 'p50, ms': p50, 'p99, ms': p99 },
  }
}

/** Compares the sides under a load in turn; the last side is the system. */
export async function oneCell(
  load: Load,
  sides: readonly Side[],
  dates: readonly string[],
  report: Report,
): Promise<void> {
  const partners = sides.map(({ origin }) => new WritingPartner(origin, load.clients))
  const writers = partners.map((partner) => writeOf(partner, load, dates))
  const candidates = sides.map((side, index) => ({ side, write: inTurn(writers, index), rounds: [] as Calls[] }))
  for (const { side, write } of candidates) await atFullSpeed(write, load.clients, WARM_UP, side.pids)
  for (let round = 0; round < ROUNDS; round++)
    for (const { side, write, rounds } of candidates)
      rounds.push(await atFullSpeed(write, load.clients, SECONDS, side.pids))
  const rows = candidates.map(({ side, rounds }) => rowOf(side.name, rounds))
  const paced = percentiles(await atHalfSpeed(inTurn(writers, writers.length - 1), load.clients))
  report.table({ title: `calls of one cell, ${load.name}`, unit: 'ms per call', rows })
  const [floor = NaN, whole = NaN] = rows.map(({ cpu }) => sumOf(cpu))
  const [perSecond] = candidates.slice(-1).map(({ rounds }) => rate(rounds))
  const name = `one cell, ${load.name}`
  report.figure({ name: `${name}, share of the floor`, value: floor / whole, atLeast: 0.35 })
  report.figure({ name: `${name}, all processes`, value: whole, unit: 'CPU ms', atMost: 1.2 })
  report.figure({ name, value: perSecond ?? NaN, unit: 'calls/s', atLeast: CALLS_PER_SECOND })
  report.figure({ name: `${name}, p99 at ${CALLS_PER_SECOND / 2}/s`, value: paced.p99, unit: 'ms', atMost: 50 })
  const system = present(candidates.at(-1), 'side')
  const costs = { cpu: perCall(system.rounds, ({ count }) => count), unit: 'ms per call' }
  const work = () => atFullSpeed(system.write, load.clients, SECONDS, system.side.pids)
  await reportProfile(report, name, load.profiled, costs, work)
  await Promise.all(partners.map((partner) => partner.close()))
}
