// Digests of feeds: npm run bench -- digest [--rows n,n]. Time, CPU and memory of a digest beside reading the same rows
// without adding them up, and pages of another connection meanwhile.
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { residentBytes } from '@connectivity/toolkit/memory'
import { median, percentiles } from '@connectivity/toolkit/statistics'
import type { Client } from 'pg'
import { cpuBetween, cpuOf, type CpuTimes, type Pids } from '@connectivity/toolkit/cpu'
import { type FeedAlone, withFeedAlone } from './feed/alone.ts'
import { type FeedAddress, Identities, readDigest, readPage } from './feed/reader.ts'
import { fillFeeds, FIRST, STEP } from './feed/rows.ts'
import type { Report, Row } from './report/report.ts'

const ROUNDS = 5
const CHUNK = 1_000
const MIB = 1024 ** 2
const PROBE_EVERY = 5
const SAMPLE_EVERY = 20
const CONNECTION = 'con_0'
/** Aims by number of rows, s. */
const AIMS: Record<number, number> = { 20_000: 0.2, 1_000_000: 5 }
/** Growth of the process while it reads a feed, MiB. */
const MOST_GROWTH = 64

/** Measurement of repeated work. */
interface Measured {
  /** Times of the rounds, s. */
  seconds: number[]
  /** CPU microseconds per row. */
  cpu: CpuTimes
}

async function measured(pids: Pids, count: number, work: () => Promise<void>): Promise<Measured> {
  await work()
  const before = cpuOf(pids)
  const seconds: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const begin = performance.now()
    await work()
    seconds.push((performance.now() - begin) / 1000)
  }
  return { seconds, cpu: cpuBetween(before, cpuOf(pids), ROUNDS * count) }
}

/** Reads the rows of the feed as a digest does, and forgets them. */
async function readRows(sql: Client): Promise<void> {
  await sql.query('BEGIN')
  await sql.query({
    text: `DECLARE floor NO SCROLL CURSOR FOR SELECT stamp, kind, reservation_id FROM feed_row WHERE connection_id = '${CONNECTION}' ORDER BY stamp DESC`,
  })
  const fetch = { name: 'floor', text: `FETCH ${CHUNK} FROM floor`, rowMode: 'array' as const }
  while ((await sql.query(fetch)).rowCount === CHUNK);
  await sql.query('COMMIT')
}

const residentMib = (pid: number): number => residentBytes(pid) / MIB

/** Repeats `sample` until the work is done. */
async function during(work: Promise<unknown>, every: number, sample: () => Promise<void> | void): Promise<void> {
  let isDone = false
  const end = work.finally(() => (isDone = true))
  while (!isDone) {
    await sample()
    await delay(every)
  }
  await end
}

/** Latencies of small pages of another connection while the work goes on, ms. */
async function pagesDuring(reader: FeedAddress, work: Promise<unknown>): Promise<number[]> {
  const latencies: number[] = []
  await during(work, PROBE_EVERY, async () => {
    const begin = performance.now()
    await readPage(reader, { connectionId: 'con_other', query: `updated_since=${new Date(FIRST).toISOString()}` })
    latencies.push(performance.now() - begin)
  })
  return latencies
}

async function growthDuring(pid: number, work: () => Promise<unknown>): Promise<number> {
  const before = residentMib(pid)
  let most = before
  await during(work(), SAMPLE_EVERY, () => void (most = Math.max(most, residentMib(pid))))
  return most - before
}

const columns = ({ seconds }: Measured) => ({
  'median, s': median(seconds),
  'longest, s': Math.max(...seconds),
})

async function measureSize(alone: FeedAlone, reader: FeedAddress, count: number, report: Report): Promise<Row[]> {
  await alone.sql.query('TRUNCATE feed_row, feed_connection')
  await fillFeeds(alone.sql, 1, 0, count)
  const { feed, PostgreSQL } = alone.pids()
  const checkpoint = new Date(FIRST + count * STEP).toISOString()
  const ask = (also = '') =>
    readDigest(reader, { connectionId: CONNECTION, query: `checkpoint=${checkpoint}${also}` }).then(() => undefined)
  const floor = await measured({ floor: process.pid, PostgreSQL }, count, () => readRows(alone.sql))
  const digest = await measured({ feed, PostgreSQL }, count, () => ask())
  const buckets = await measured({ feed, PostgreSQL }, count, () => ask('&buckets=256'))
  const quiet = percentiles(await pagesDuring(reader, delay(1_000)))
  const busy = percentiles(
    await pagesDuring(
      reader,
      ask().then(() => ask()),
    ),
  )
  const growth = await growthDuring(feed!, () => ask('&buckets=256'))
  const name = `${count.toLocaleString('en')} rows`
  const aim = AIMS[count]
  report.figure({
    name: `digest of ${name}`,
    value: columns(digest)['median, s'],
    unit: 's',
    ...(aim && { atMost: aim }),
  })
  report.figure({ name: `${name}: growth of the feed's memory`, value: growth, unit: 'MiB', atMost: MOST_GROWTH })
  report.figure({ name: `${name}: p99 of other pages, quiet`, value: quiet.p99, unit: 'ms' })
  report.figure({ name: `${name}: p99 of other pages, during digests`, value: busy.p99, unit: 'ms' })
  return [
    { name: `${name}, read and forgotten`, cpu: floor.cpu, also: columns(floor) },
    { name: `${name}, digest`, cpu: digest.cpu, also: columns(digest) },
    { name: `${name}, digest with 256 buckets`, cpu: buckets.cpu, also: columns(buckets) },
  ]
}

export async function bench(args: string[], report: Report): Promise<void> {
  const { values } = parseArgs({ args, options: { rows: { type: 'string', default: '20000,1000000' } } })
  await withFeedAlone(async (alone) => {
    await alone.start()
    const reader = { origin: alone.origin, identities: new Identities(alone.identityKey) }
    const rows: Row[] = []
    for (const count of values.rows.split(',').map(Number))
      rows.push(...(await measureSize(alone, reader, count, report)))
    report.table({ title: 'the digest of one feed', unit: 'µs per row', rows })
  })
}
