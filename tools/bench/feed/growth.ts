// Cost of a page as the feeds grow: with all rows in one connection's feed, and spread over many.
import { cpuBetween, cpuOf, type CpuTimes } from '@connectivity/toolkit/cpu'
import type { Seen } from '../load.ts'
import { type Report, type Row, sumOf } from '../report/report.ts'
import { lowerQuartile } from '@connectivity/toolkit/statistics'
import { type FeedAlone, withFeedAlone } from './alone.ts'
import { type FeedAddress, Identities, readPages, type WantedPage } from './reader.ts'
import { fillFeeds, FIRST, STEP } from './rows.ts'
import type { Sizes } from './sizes.ts'

const MANY = 5_000
const ROUNDS = 4
const SECONDS = 4
const WARM_UP = 4

/** Distribution of the rows, and size of the pages that are read. */
interface Feeds {
  connections: number
  /** Rows of a page. */
  limit: number
}

/** One round: the reader's figures, and CPU microseconds per page. */
interface Round extends Seen {
  cpu: CpuTimes
}

/** Draws a full page anywhere in any feed. */
const anywhere =
  (count: number, { connections, limit }: Feeds) =>
  (): WantedPage => {
    const since = new Date(FIRST + Math.floor(Math.random() * (count - (limit + 1) * connections)) * STEP).toISOString()
    const query = `updated_since=${since}&limit=${limit}`
    return { connectionId: `con_${Math.floor(Math.random() * connections)}`, query }
  }

async function cost(alone: FeedAlone, reader: FeedAddress, draw: () => WantedPage): Promise<Round> {
  const { feed, PostgreSQL } = alone.pids()
  await readPages(reader, draw, WARM_UP)
  const rounds: Round[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const before = cpuOf({ feed, PostgreSQL })
    const seen = await readPages(reader, draw, SECONDS)
    rounds.push({ ...seen, cpu: cpuBetween(before, cpuOf({ feed, PostgreSQL }), seen.count) })
  }
  return lowerQuartile(rounds, ({ cpu }) => sumOf(cpu))
}

async function measureFeeds(
  alone: FeedAlone,
  reader: FeedAddress,
  { connections, limit }: Feeds,
  sizes: readonly number[],
): Promise<Row[]> {
  await alone.sql.query('TRUNCATE feed_row, feed_connection')
  const rows: Row[] = []
  for (const [index, count] of sizes.entries()) {
    await fillFeeds(alone.sql, connections, sizes[index - 1] ?? 0, count)
    const { cpu, p50, p99 } = await cost(alone, reader, anywhere(count, { connections, limit }))
    const name = `${count} rows in ${connections} feed(s), pages of ${limit}`
    rows.push({ name, cpu, also: { 'p50, ms': p50, 'p99, ms': p99 } })
  }
  return rows
}

const growth = (rows: readonly Row[]): number => sumOf(rows.at(-1)?.cpu) / sumOf(rows[0]?.cpu)

export const measure = ({ rows }: Sizes, report: Report): Promise<void> =>
  withFeedAlone(async (alone) => {
    await alone.start()
    const reader = { origin: alone.origin, identities: new Identities(alone.identityKey) }
    const one = await measureFeeds(alone, reader, { connections: 1, limit: 50 }, rows)
    const many = await measureFeeds(alone, reader, { connections: MANY, limit: 10 }, rows)
    report.table({ title: 'pages as the feeds grow', unit: 'µs per page', rows: [...one, ...many] })
    const [from, to] = [rows[0], rows.at(-1)]
    report.figure({ name: `one feed, ${from} → ${to} rows`, value: growth(one), unit: '×', atMost: 1.2 })
    report.figure({ name: `${MANY} feeds, ${from} → ${to} rows`, value: growth(many), unit: '×', atMost: 1.2 })
  })
