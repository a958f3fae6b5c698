// Cost of POST /ari through gateway and ARI: npm run bench -- ari
// Large calls are compared with the bare upsert of the same cells, calls of one cell with two bare processes around it.
import { dateIn } from '../../deploy/local/demo/dates.ts'
import { gatewayNodeOptions } from '../../deploy/local/services/environment.ts'
import { asOwner, type OwnStack, withOwnStack } from '@connectivity/toolkit/own-stack'
import { type Measured, measured, nextPrice, perCall } from './ari/measured.ts'
import { oneCell, type Side } from './ari/one-cell.ts'
import { WritingPartner } from './ari/partner.ts'
import { type BenchProperty, prepare } from './ari/property.ts'
import { RawUpsert } from './ari/raw-upsert.ts'
import { withBareProcesses } from './bare.ts'
import type { Pids } from '@connectivity/toolkit/cpu'
import { present } from '@connectivity/toolkit/present'
import type { Report, Row } from './report/report.ts'
import { median } from '@connectivity/toolkit/statistics'

/** Rooms of the large property. */
const ROOMS = 100
const DAYS = 365
const BULK_ROUNDS = 8
/** Small properties, with two rooms each. */
const SMALL = 50

/** Both writers, and the processes whose CPU time counts. */
interface Sides {
  raw: RawUpsert
  partner: WritingPartner
  property: BenchProperty
  pids: Pids
}

/** Results of both sides. */
interface Pair<T> {
  raw: T
  ari: T
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
/** The first year's cells are written repeatedly, the second year's once. */
const dates = datesFrom(0)
const untouched = datesFrom(DAYS)
const large = Array.from({ length: ROOMS }, (_, index) => index)
const small = Array.from({ length: SMALL }, (_, index) => [ROOMS + 2 * index, ROOMS + 2 * index + 1])

/** Writes one price for every room and day, by each side in turn. */
async function pair({ raw, partner, property, pids }: Sides, days: readonly string[]): Promise<Pair<Measured>> {
  const [from, to] = [present(days[0], 'day'), present(days.at(-1), 'day')]
  const byRaw = await measured({ PostgreSQL: pids.PostgreSQL }, () => raw.price(property.rooms, days, nextPrice()))
  const byAri = await measured(pids, async () => {
    const { cells_written } = await partner.price(property, property.rooms, [from, to], nextPrice())
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

function reportBulk({ first, changes, fresh }: Bulk, report: Report): void {
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

/** Reports calls of one cell on one property and on many. */
async function oneCells(
  demo: OwnStack,
  properties: readonly BenchProperty[],
  pids: Pids,
  report: Report,
): Promise<void> {
  await withBareProcesses(async (start) => {
    const DATABASE_URL = asOwner(demo.postgres.ari, demo.secrets)
    const floor = await start(new URL('ari/floor.ts', import.meta.url), { DATABASE_URL })
    const asTheGateway = { ORIGIN: floor.origin, NODE_OPTIONS: gatewayNodeOptions }
    const hop = await start(new URL('hop.ts', import.meta.url), asTheGateway)
    const ofFloor = { hop: hop.pid, floor: floor.pid, PostgreSQL: pids.PostgreSQL }
    const sides: Side[] = [
      { name: 'two bare processes', origin: hop.origin, pids: ofFloor },
      { name: 'gateway + ARI', origin: demo.base_url, pids },
    ]
    const [one, ...others] = properties
    const { gateway, ari } = demo.processes
    const profiled = [
      { name: 'gateway', pid: gateway.pid },
      { name: 'ARI', pid: ari.pid },
    ]
    const alone = { name: '8 clients, one property', clients: 8, properties: [present(one, 'property')], profiled }
    await oneCell(alone, sides, dates, report)
    const many = { name: `64 clients, ${SMALL} properties`, clients: 64, properties: others, profiled: [] }
    await oneCell(many, sides, dates, report)
  })
}

/** Reports times, CPU and the ratios to the floors, in turn on one stack. */
export async function bench(_options: string[], report: Report): Promise<void> {
  await withOwnStack(async (demo) => {
    const properties = await prepare(demo, [large, ...small])
    const raw = new RawUpsert(asOwner(demo.postgres.ari, demo.secrets), 1)
    const partner = new WritingPartner(demo.base_url, 1)
    await raw.prepare()
    const pid = (name: keyof OwnStack['processes']) => demo.processes[name].pid
    const pids = { gateway: pid('gateway'), ARI: pid('ari'), PostgreSQL: pid('postgres'), Redis: pid('redis') }
    try {
      const property = present(properties[0], 'property')
      reportBulk(await bulk({ raw, partner, property, pids }), report)
      await oneCells(demo, properties, pids, report)
    } finally {
      await Promise.all([raw.close(), partner.close()])
    }
  })
}
