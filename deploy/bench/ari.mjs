// What POST /ari costs through gateway and ARI, against the bare upsert of the same cells: npm run bench -- ari
import { RawUpsert } from './ari/raw-upsert.mjs'
import { WritingPartner } from './ari/partner.mjs'
import { prepare, ROOMS } from './ari/property.mjs'
import { cpuOf } from './cpu.mjs'
import { withOwnStack } from './own-stack.mjs'

const DAYS = 365
const BULK_ROUNDS = 8
const CALL_ROUNDS = 4
const CALL_SECONDS = 4
const CONNECTIONS = 8

const FIRST = Date.now() + 86_400_000
const dates = Array.from({ length: DAYS }, (_, index) =>
  new Date(FIRST + index * 86_400_000).toISOString().slice(0, 10),
)
const rooms = Array.from({ length: ROOMS }, (_, index) => index)

/** A price that no cell has had before, so that every call changes all of its cells. */
const prices = (function* () {
  for (let cents = 100; ; cents++) yield (cents / 100).toFixed(2)
})()
const nextPrice = () => prices.next().value

const quartile = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 4)]
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]

/** Runs `work` and tells its time and the CPU time of each process, ms. */
async function measured(pids, work) {
  const before = cpuOf(pids)
  const begin = performance.now()
  await work()
  const milliseconds = performance.now() - begin
  const after = cpuOf(pids)
  return {
    milliseconds,
    cpu: Object.fromEntries(Object.keys(pids).map((name) => [name, (after[name] - before[name]) / 1000])),
  }
}

async function bulk({ raw, partner, pids }) {
  const rounds = { raw: [], ari: [] }
  for (let round = 0; round < BULK_ROUNDS; round++) {
    rounds.raw.push(await measured({ PostgreSQL: pids.PostgreSQL }, () => raw.price(rooms, dates, nextPrice())))
    rounds.ari.push(
      await measured(pids, async () => {
        const { cells_written } = await partner.price(rooms, dates[0], dates.at(-1), nextPrice())
        if (cells_written !== ROOMS * DAYS) throw new Error(`${cells_written} cells written`)
      }),
    )
  }
  return rounds
}

/** As many single prices as `write` takes in some seconds from a few clients, each with a cell of its own. */
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

const cpuText = (rounds, per) =>
  Object.keys(rounds[0].cpu)
    .map((name) => `${name} ${quartile(rounds.map((round) => round.cpu[name] / per(round))).toFixed(2)}`)
    .join(', ')

function tell({ raw, ari }) {
  const times = (rounds) => rounds.map(({ milliseconds }) => milliseconds)
  const line = (name, rounds) =>
    `| ${name} | ${rounds[0].milliseconds.toFixed(0)} | ${median(times(rounds.slice(1))).toFixed(0)} | ${Math.max(...times(rounds)).toFixed(0)} | ${cpuText(rounds.slice(1), () => 1)} |\n`
  process.stdout.write(
    `\n${ROOMS * DAYS} cells in one call, ms\n\n| | first (new cells) | median (changed cells) | longest | CPU ms |\n|---|---|---|---|---|\n`,
  )
  process.stdout.write(line('raw upsert', raw) + line('POST /ari', ari))
  const ratio = median(times(raw.slice(1))) / median(times(ari.slice(1)))
  process.stdout.write(`\nratio ${ratio.toFixed(2)} of the raw upsert\n`)
}

function tellCalls({ raw, ari }) {
  const line = (name, rounds) =>
    `| ${name} | ${median(rounds.map(({ perSecond }) => perSecond)).toFixed(0)} | ${cpuText(rounds, ({ count }) => count)} |\n`
  process.stdout.write(
    `\ncalls of one cell, ${CONNECTIONS} clients, one property\n\n| | calls/s | CPU ms per call |\n|---|---|---|\n`,
  )
  process.stdout.write(line('raw upsert', raw) + line('POST /ari', ari))
  const ratio = median(ari.map(({ perSecond }) => perSecond)) / median(raw.map(({ perSecond }) => perSecond))
  process.stdout.write(`\nratio ${ratio.toFixed(2)} of the raw upsert\n`)
}

/** Prints times, CPU and the ratio to the raw upsert, both sides in turn on one stack. */
export async function bench() {
  await withOwnStack(async (demo) => {
    const connection = await prepare(demo)
    const raw = new RawUpsert(demo.postgres.ari, CONNECTIONS)
    const partner = new WritingPartner(demo.base_url, connection, CONNECTIONS)
    await raw.prepare()
    const pid = (name) => demo.processes[name].pid
    const pids = { gateway: pid('gateway'), ARI: pid('ari'), PostgreSQL: pid('postgres'), Redis: pid('redis') }
    try {
      tell(await bulk({ raw, partner, pids }))
      tellCalls(await singles({ raw, partner, pids }))
    } finally {
      await Promise.all([raw.close(), partner.close()])
    }
  })
}
