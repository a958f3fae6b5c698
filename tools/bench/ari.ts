// Cost of POST /ari through gateway and ARI, compared with the bare upsert of the same cells: npm run bench -- ari
import { dateIn } from '../../deploy/local/demo/dates.ts'
import { asOwner, type OwnStack, withOwnStack } from '@connectivity/toolkit/own-stack'
import { WritingPartner } from './ari/partner.ts'
import { prepare, ROOMS } from './ari/property.ts'
import { RawUpsert } from './ari/raw-upsert.ts'
import { cpuBetween, cpuOf, type CpuTimes, type Pids } from './cpu.ts'
import { inTurn, present } from '@connectivity/toolkit/present'
import type { Report, Row } from './report/report.ts'
import { lowerQuartile, median } from '@connectivity/toolkit/statistics'

const DAYS = 365
const BULK_ROUNDS = 8
const CALL_ROUNDS = 4
const CALL_SECONDS = 4
const CONNECTIONS = 8

/** Both writers, and the processes whose CPU time counts. */
interface Sides {
  raw: RawUpsert
  partner: WritingPartner
  pids: Pids
}

/** Results of both sides. */
interface Pair<T> {
  raw: T
  ari: T
}

/** Duration and CPU time of each process, ms. */
interface Measured {
  milliseconds: number
  cpu: CpuTimes
}

/** Single prices from a few clients at once. */
interface Calls extends Measured {
  perSecond: number
  count: number
}

/** One price for every room and day. */
interface Bulk {
  /** The first call of fresh processes. */
  first: Pair<Measured>
  /** Calls that change existing cells. */
  changes: Pair<Measured>[]
  /** A call that makes new cells. */
  fresh: Pair<Measured>
}

const datesFrom = (day: number): string[] => Array.from({ length: DAYS }, (_, index) => dateIn(1 + day + index))
/** The first year's cells are written again and again, the second year's once. */
const dates = datesFrom(0)
const untouched = datesFrom(DAYS)
const rooms = Array.from({ length: ROOMS }, (_, index) => index)

/** Generates prices that no cell has had before, so that every call changes all of its cells. */
const prices = (function* (): Generator<string, never> {
  for (let cents = 100; ; cents++) yield (cents / 100).toFixed(2)
})()
const nextPrice = (): string => prices.next().value

async function measured(pids: Pids, work: () => Promise<void>): Promise<Measured> {
  const before = cpuOf(pids)
  const begin = performance.now()
  await work()
  const milliseconds = performance.now() - begin
  return { milliseconds, cpu: cpuBetween(before, cpuOf(pids), 1000) }
}

/** Writes one price for every room and day, by each side in turn. */
async function pair({ raw, partner, pids }: Sides, days: readonly string[]): Promise<Pair<Measured>> {
  const [from, to] = [present(days[0], 'day'), present(days.at(-1), 'day')]
  const byRaw = await measured({ PostgreSQL: pids.PostgreSQL }, () => raw.price(rooms, days, nextPrice()))
  const byAri = await measured(pids, async () => {
    const { cells_written } = await partner.price(rooms, from, to, nextPrice())
    if (cells_written !== ROOMS * DAYS) throw new Error(`POST /ari wrote only ${cells_written} cells`)
  })
  return { raw: byRaw, ari: byAri }
}

async function bulk(sides: Sides): Promise<Bulk> {
  const first = await pair(sides, dates)
  const changes: Pair<Measured>[] = []
  for (let round = 0; round < BULK_ROUNDS; round++) changes.push(await pair(sides, dates))
  return { first, changes, fresh: await pair(sides, untouched) }
}

/** Writes single prices from a few clients for some seconds, each client with its own cell. */
async function calls(pids: Pids, write: (index: number, price: string) => Promise<unknown>): Promise<Calls> {
  let count = 0
  const seen = await measured(pids, async () => {
    const end = performance.now() + CALL_SECONDS * 1000
    const client = async (index: number): Promise<void> => {
      while (performance.now() < end) {
        await write(index, nextPrice())
        count++
      }
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, (_, index) => client(index)))
  })
  return { ...seen, perSecond: count / (seen.milliseconds / 1000), count }
}

async function singles({ raw, partner, pids }: Sides): Promise<Pair<Calls[]>> {
  const rounds: Pair<Calls[]> = { raw: [], ari: [] }
  const day = (index: number) => inTurn(dates, index)
  for (let round = 0; round < CALL_ROUNDS; round++) {
    const rawPids = { PostgreSQL: pids.PostgreSQL }
    rounds.raw.push(await calls(rawPids, (index, price) => raw.price([index], [day(index)], price)))
    rounds.ari.push(await calls(pids, (index, price) => partner.price([index], day(index), day(index), price)))
  }
  return rounds
}

/** CPU time of each process per call, given the calls of a round. */
function perCall<T extends Measured>(rounds: readonly T[], callsOf: (round: T) => number): CpuTimes {
  const share = (name: string) => (round: T) => (round.cpu[name] ?? NaN) / callsOf(round)
  const names = Object.keys(rounds[0]?.cpu ?? {})
  return Object.fromEntries(names.map((name) => [name, lowerQuartile(rounds.map(share(name)), (value) => value)]))
}

function tell({ first, changes, fresh }: Bulk, report: Report): void {
  const timesOf = (side: 'raw' | 'ari'): number[] => changes.map((one) => one[side].milliseconds)
  const row = (name: string, side: 'raw' | 'ari'): Row => ({
    name,
    cpu: perCall(
      changes.map((one) => one[side]),
      () => 1,
    ),
    also: {
      'first call ever, ms': first[side].milliseconds,
      'new cells, ms': fresh[side].milliseconds,
      'changed cells, median ms': median(timesOf(side)),
      'longest, ms': Math.max(...timesOf(side)),
    },
  })
  const rows = [row('raw upsert', 'raw'), row('POST /ari', 'ari')]
  report.table({ title: `${ROOMS * DAYS} cells in one call`, unit: 'ms per call', rows })
  const [raw, ari] = [median(timesOf('raw')), median(timesOf('ari'))]
  report.figure({ name: `${ROOMS * DAYS} cells, share of the raw upsert's speed`, value: raw / ari, atLeast: 0.5 })
  report.figure({ name: `${ROOMS * DAYS} cells`, value: ari, unit: 'ms', atMost: 1_000 })
}

function tellCalls({ raw, ari }: Pair<Calls[]>, report: Report): void {
  const rate = (rounds: readonly Calls[]): number => median(rounds.map(({ perSecond }) => perSecond))
  const row = (name: string, rounds: readonly Calls[]): Row => ({
    name,
    cpu: perCall(rounds, ({ count }) => count),
    also: { 'calls/s': rate(rounds) },
  })
  const title = `calls of one cell, ${CONNECTIONS} clients, one property`
  report.table({ title, unit: 'ms per call', rows: [row('raw upsert', raw), row('POST /ari', ari)] })
  report.figure({ name: "one cell, share of the raw upsert's calls/s", value: rate(ari) / rate(raw), atLeast: 0.5 })
}

/** Reports times, CPU and the ratio to the raw upsert, both sides in turn on one stack. */
export async function bench(_options: string[], report: Report): Promise<void> {
  await withOwnStack(async (demo) => {
    const connection = await prepare(demo)
    const raw = new RawUpsert(asOwner(demo.postgres.ari, demo.secrets), CONNECTIONS)
    const partner = new WritingPartner(demo.base_url, connection, CONNECTIONS)
    await raw.prepare()
    const pid = (name: keyof OwnStack['processes']) => demo.processes[name].pid
    const pids = { gateway: pid('gateway'), ARI: pid('ari'), PostgreSQL: pid('postgres'), Redis: pid('redis') }
    try {
      tell(await bulk({ raw, partner, pids }), report)
      tellCalls(await singles({ raw, partner, pids }), report)
    } finally {
      await Promise.all([raw.close(), partner.close()])
    }
  })
}
