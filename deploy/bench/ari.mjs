// Cost of POST /ari through gateway and ARI, compared with the bare upsert of the same cells: npm run bench -- ari
import { RawUpsert } from './ari/raw-upsert.mjs'
import { WritingPartner } from './ari/partner.mjs'
import { prepare, ROOMS } from './ari/property.mjs'
import { dateIn } from '../local/demo/dates.mjs'
import { cpuBetween, cpuOf } from './cpu.mjs'
import { asOwner, withOwnStack } from '../local/start/own-stack.mjs'
import { lowerQuartile, median } from './statistics.mjs'

const DAYS = 365
const BULK_ROUNDS = 8
const CALL_ROUNDS = 4
const CALL_SECONDS = 4
const CONNECTIONS = 8

const datesFrom = (day) => Array.from({ length: DAYS }, (_, index) => dateIn(1 + day + index))
/** The first year's cells are written again and again, the second year's once. */
const dates = datesFrom(0)
const untouched = datesFrom(DAYS)
const rooms = Array.from({ length: ROOMS }, (_, index) => index)

/** Generates prices that no cell has had before, so that every call changes all of its cells. */
const prices = (function* () {
  for (let cents = 100; ; cents++) yield (cents / 100).toFixed(2)
})()
const nextPrice = () => prices.next().value

/** Runs `work` and returns its duration and the CPU time of each process, ms. */
async function measured(pids, work) {
  const before = cpuOf(pids)
  const begin = performance.now()
  await work()
  const milliseconds = performance.now() - begin
  return { milliseconds, cpu: cpuBetween(before, cpuOf(pids), 1000) }
}

/** One price for every room and day, by either side in turn. */
async function pair({ raw, partner, pids }, days) {
  const byRaw = await measured({ PostgreSQL: pids.PostgreSQL }, () => raw.price(rooms, days, nextPrice()))
  const byAri = await measured(pids, async () => {
    const { cells_written } = await partner.price(rooms, days[0], days.at(-1), nextPrice())
    if (cells_written !== ROOMS * DAYS) throw new Error(`${cells_written} cells written`)
  })
  return { raw: byRaw, ari: byAri }
}

/** Measures the first call of fresh processes, changes of existing cells, and new cells. */
async function bulk(sides) {
  const first = await pair(sides, dates)
  const changes = []
  for (let round = 0; round < BULK_ROUNDS; round++) changes.push(await pair(sides, dates))
  return { first, changes, fresh: await pair(sides, untouched) }
}

/** Writes single prices from a few clients for some seconds, each client with its own cell. */
async function calls(pids, write) {
  let count = 0
  const seen = await measured(pids, async () => {
    const end = performance.now() + CALL_SECONDS * 1000
    const client = async (index) => {
      while (performance.now() < end) {
        await write(index, nextPrice())
        count++
      }
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, (_, index) => client(index)))
  })
  return { ...seen, perSecond: count / (seen.milliseconds / 1000), count }
}

async function singles({ raw, partner, pids }) {
  const rounds = { raw: [], ari: [] }
  for (let round = 0; round < CALL_ROUNDS; round++) {
    const rawPids = { PostgreSQL: pids.PostgreSQL }
    rounds.raw.push(await calls(rawPids, (index, price) => raw.price([index], [dates[index]], price)))
    rounds.ari.push(await calls(pids, (index, price) => partner.price([index], dates[index], dates[index], price)))
  }
  return rounds
}

const perCall = (rounds, per) =>
  Object.fromEntries(
    Object.keys(rounds[0].cpu).map((name) => [
      name,
      lowerQuartile(rounds.map((round) => round.cpu[name] / per(round))),
    ]),
  )

function tell({ first, changes, fresh }, report) {
  const timesOf = (side) => changes.map((one) => one[side].milliseconds)
  const row = (name, side) => ({
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

function tellCalls({ raw, ari }, report) {
  const rate = (rounds) => median(rounds.map(({ perSecond }) => perSecond))
  const row = (name, rounds) => ({
    name,
    cpu: perCall(rounds, ({ count }) => count),
    also: { 'calls/s': rate(rounds) },
  })
  const title = `calls of one cell, ${CONNECTIONS} clients, one property`
  report.table({ title, unit: 'ms per call', rows: [row('raw upsert', raw), row('POST /ari', ari)] })
  report.figure({ name: "one cell, share of the raw upsert's calls/s", value: rate(ari) / rate(raw), atLeast: 0.5 })
}

/** Times, CPU and the ratio to the raw upsert, both sides in turn on one stack. */
export async function bench(_options, report) {
  await withOwnStack(async (demo) => {
    const connection = await prepare(demo)
    const raw = new RawUpsert(asOwner(demo.postgres.ari, demo.secrets), CONNECTIONS)
    const partner = new WritingPartner(demo.base_url, connection, CONNECTIONS)
    await raw.prepare()
    const pid = (name) => demo.processes[name].pid
    const pids = { gateway: pid('gateway'), ARI: pid('ari'), PostgreSQL: pid('postgres'), Redis: pid('redis') }
    try {
      tell(await bulk({ raw, partner, pids }), report)
      tellCalls(await singles({ raw, partner, pids }), report)
    } finally {
      await Promise.all([raw.close(), partner.close()])
    }
  })
}
