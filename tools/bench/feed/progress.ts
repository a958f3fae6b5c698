// Cost of noting a partner's progress: pages that each go one row further, and polls that find nothing. The same
// requests of a person in the portal are not noted; rounds of both take turns in one process.
import { lowerQuartile, median } from '@connectivity/toolkit/statistics'
import { cpuBetween, cpuOf, type CpuTimes } from '@connectivity/toolkit/cpu'
import type { Seen } from '../load.ts'
import { type Report, type Row, sumOf } from '../report/report.ts'
import { type FeedAlone, withFeedAlone } from './alone.ts'
import { type FeedAddress, Identities, readPages, type WantedPage } from './reader.ts'
import { fillFeeds, FIRST, STEP } from './rows.ts'
import type { Sizes } from './sizes.ts'

const CONNECTIONS = 100
const ROUNDS = 8
/** Rows of a page. */
const LIMIT = 10
/** Highest ratio that still counts as no measurable cost. */
const MOST = 1.05

/** One round: the reader's figures, and CPU microseconds per request. */
interface Round extends Seen {
  cpu: CpuTimes
}

/** A reader of the feed, named by whether its requests are noted. */
interface Reader extends FeedAddress {
  name: string
}

/** Goes through all feeds in turn, one row further each time. */
function walk(rows: number): () => WantedPage {
  let step = 0
  return () => {
    const index = step++ % (rows - LIMIT * CONNECTIONS)
    return {
      connectionId: `con_${index % CONNECTIONS}`,
      query: `updated_since=${new Date(FIRST + index * STEP).toISOString()}&limit=${LIMIT}`,
    }
  }
}

/** Asks each feed in turn for what follows its last stamp. */
function idle(rows: number): () => WantedPage {
  let step = 0
  const query = `updated_since=${new Date(FIRST + rows * STEP + 1).toISOString()}`
  return () => ({ connectionId: `con_${step++ % CONNECTIONS}`, query })
}

async function roundOf(alone: FeedAlone, reader: Reader, draw: () => WantedPage, seconds: number): Promise<Round> {
  const { feed, PostgreSQL } = alone.pids()
  const before = cpuOf({ feed, PostgreSQL })
  const seen = await readPages(reader, draw, seconds)
  return { ...seen, cpu: cpuBetween(before, cpuOf({ feed, PostgreSQL }), seen.count) }
}

/** The same requests by each reader in turn; the rounds of each. */
async function compare(
  alone: FeedAlone,
  readers: readonly Reader[],
  drawing: () => () => WantedPage,
  seconds: number,
): Promise<Round[][]> {
  const own = readers.map((reader) => ({ reader, draw: drawing(), rounds: [] as Round[] }))
  for (const { reader, draw } of own) await readPages(reader, draw, seconds)
  for (let round = 0; round < ROUNDS; round++) {
    // The first of one round is the last of the next.
    for (const { reader, draw, rounds } of round % 2 ? own.toReversed() : own)
      rounds.push(await roundOf(alone, reader, draw, seconds))
  }
  return own.map(({ rounds }) => rounds)
}

const usedIn = ({ cpu }: Round): number => sumOf(cpu)

const rowOf = (name: string, { cpu, p50, p99 }: Round): Row => ({ name, cpu, also: { 'p50, ms': p50, 'p99, ms': p99 } })

export const measure = ({ rows: [count = 0], seconds }: Sizes, report: Report): Promise<void> =>
  withFeedAlone(async (alone) => {
    await alone.start()
    await fillFeeds(alone.sql, CONNECTIONS, 0, count)
    const { origin, identityKey } = alone
    const readers: [Reader, Reader] = [
      { name: 'not noted', origin, identities: new Identities(identityKey, 'ada@bench.example') },
      { name: 'noted', origin, identities: new Identities(identityKey) },
    ]
    const rows: Row[] = []
    for (const [what, drawing] of Object.entries({ page: () => walk(count), 'idle poll': () => idle(count) })) {
      const rounds = await compare(alone, readers, drawing, seconds / ROUNDS)
      for (const [index, { name }] of readers.entries())
        rows.push(rowOf(`${what}, ${name}`, lowerQuartile(rounds[index]!, usedIn)))
      // Of neighbours in time: what else the machine does changes slowly.
      const ratios = rounds[0]!.map((without, round) => usedIn(rounds[1]![round]!) / usedIn(without))
      report.figure({ name: `${what}: noted to not noted`, value: median(ratios), unit: '×', atMost: MOST })
    }
    report.table({ title: 'noting progress', unit: 'µs per request', rows })
  })
