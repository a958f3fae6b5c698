// Events per second and CPU per event from Kafka through the feeds, compared with a bare upsert of the same events.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { Booking } from '@connectivity/contracts/booking-events'
import { until } from '@connectivity/toolkit/until'
import { environmentWith } from '@connectivity/toolkit/config'
import { cpuBetween, cpuOf, type CpuTimes } from '@connectivity/toolkit/cpu'
import { inTurn, present } from '@connectivity/toolkit/present'
import { type Report, type Row, sumOf } from '../report/report.ts'
import { lowerQuartile } from '@connectivity/toolkit/statistics'
import { reportProfile } from '../profile-table.ts'
import { type FeedAlone, withFeedAlone } from './alone.ts'
import type { Sizes } from './sizes.ts'
import { type Announced, booking, producerOf } from './source.ts'

const PROPERTIES = 100
const ROUNDS = 3
const LIMIT = 600_000
/** Polling interval that is long enough to cost nothing, ms. */
const SELDOM = 100
const OFTEN = 20
/** Processed one by one, an event costs 28 times as much: a tenth of the events is enough to measure it. */
const SHARE_OF_SINGLES = 10
/** The share of these that a process takes to compile its code, measured apart. */
const SHARE_OF_FRESH = 5
const SOURCE = 'booking.reservations.v1'

/** Rate and CPU time of a round. */
interface Round {
  /** Events per second. */
  rate: number
  /** CPU microseconds per event. */
  cpu: CpuTimes
  /** Sum over all processes. */
  sum: number
}

const soon = (check: () => Promise<boolean>, complaint: string, every: number) =>
  until(check, { within: LIMIT, every, complaint: () => complaint })

const connections: Announced[] = Array.from({ length: PROPERTIES }, (_, index) => ({
  connection_id: `con_bench_${index}`,
  property_id: `prop_bench_${index}`,
}))

/** Seven in ten are new bookings, the others changes of earlier ones. */
const bookings = (events: number): Booking[] =>
  Array.from({ length: events }, (_, index) => {
    const isChange = index % 10 >= 7
    const number = isChange ? index - 7 : index
    return booking(inTurn(connections, number).property_id, number, { version: isChange ? 2 : 1 })
  })

/** Number of events that have been projected. */
async function consumed(sql: pg.Client): Promise<number> {
  const { rows } = await sql.query<{ position: number }>(
    'SELECT coalesce(sum(next_offset), 0)::integer AS position FROM consumed_offset WHERE topic = $1',
    [SOURCE],
  )
  return present(rows[0], 'position').position
}

/**
 * Starts the feed with empty tables while the table of positions is locked, so that its start is not measured.
 * @returns the session that holds the lock
 */
async function startedLocked(alone: FeedAlone, env: Record<string, string>): Promise<pg.Client> {
  const { sql } = alone
  await sql.query('TRUNCATE booking, feed_row, outbox')
  await sql.query(`DELETE FROM consumed_offset WHERE topic = $1`, [SOURCE])
  const lock = new pg.Client({ connectionString: alone.databaseUrl })
  await lock.connect()
  await lock.query('BEGIN; LOCK TABLE consumed_offset IN EXCLUSIVE MODE')
  await alone.start(env)
  await soon(() => isWaiting(sql), 'the feed did not begin to consume', OFTEN)
  return lock
}

/** Reports where the feed spends its time while it projects all events. */
async function profile(alone: FeedAlone, events: number, cpu: CpuTimes, report: Report): Promise<void> {
  const lock = await startedLocked(alone, {})
  const work = async () => {
    await lock.query('COMMIT')
    await soon(() => isPublished(alone.sql, events), 'the events were not all published', SELDOM)
  }
  const profiled = { name: 'feed', pid: present(alone.pids().feed, 'process of the feed') }
  await reportProfile(report, 'projection', [profiled], { cpu, unit: 'µs per event' }, work)
  await lock.end()
  await alone.stop()
}

/**
 * Runs the feed and measures it.
 * @param marks numbers of events, ascending
 * @param env further settings of the feed
 * @param whole whether the last mark is all events, so that a round ends when what they caused is published
 * @returns a round up to the first mark, and one from each mark to the next
 */
async function feedRounds(
  alone: FeedAlone,
  marks: readonly number[],
  env: Record<string, string>,
  whole: boolean,
): Promise<Round[]> {
  const { sql } = alone
  const lock = await startedLocked(alone, env)
  const pids = alone.pids()
  const rounds: Round[] = []
  let [position, before, begin] = [0, cpuOf(pids), performance.now()]
  await lock.query('COMMIT')
  for (const mark of marks) {
    if (whole) await soon(() => isPublished(sql, mark), 'the events were not all published', SELDOM)
    else await soon(() => isProjected(sql, mark), 'the events were not all projected', SELDOM)
    const [reached, after] = [await consumed(sql), cpuOf(pids)]
    rounds.push(figures(reached - position, begin, before, after))
    ;[position, before, begin] = [reached, after, performance.now()]
  }
  await lock.end()
  await alone.stop()
  return rounds
}

const isProjected = async (sql: pg.Client, events: number): Promise<boolean> => (await consumed(sql)) >= events

/** Whether as many events have been projected, and all that follows from them has been published. */
const isPublished = async (sql: pg.Client, events: number): Promise<boolean> =>
  (await isProjected(sql, events)) && (await sql.query('SELECT FROM outbox LIMIT 1')).rowCount === 0

/** Whether a session waits for the table of positions. */
async function isWaiting(sql: pg.Client): Promise<boolean> {
  const text = `SELECT FROM pg_locks WHERE relation = 'consumed_offset'::regclass AND NOT granted`
  return ((await sql.query(text)).rowCount ?? 0) > 0
}

async function rawRound(alone: FeedAlone, events: number): Promise<Round> {
  const { KAFKA_BROKERS, DATABASE_URL } = { KAFKA_BROKERS: alone.brokers.join(','), DATABASE_URL: alone.databaseUrl }
  const raw = fork(fileURLToPath(new URL('raw-projection.ts', import.meta.url)), {
    env: environmentWith({ KAFKA_BROKERS, DATABASE_URL, EVENTS: String(events) }),
  })
  const pids = { ...alone.pids(), feed: raw.pid }
  await once(raw, 'message')
  const [before, begin] = [cpuOf(pids), performance.now()]
  raw.send('go')
  await once(raw, 'message')
  const round = figures(events, begin, before, cpuOf(pids))
  raw.kill()
  return round
}

function figures(events: number, begin: number, before: CpuTimes, after: CpuTimes): Round {
  const seconds = (performance.now() - begin) / 1000
  const cpu = cpuBetween(before, after, events)
  return { rate: events / seconds, cpu, sum: sumOf(cpu) }
}

const row = (name: string, { cpu, rate }: Round): Row => ({ name, cpu, also: { 'events/s': rate } })

/** Rounds of the bare upsert and of the feed in turn: the lower quartile of each. */
async function inTurns(alone: FeedAlone, events: number): Promise<[raw: Round, feed: Round]> {
  const raw: Round[] = []
  const feed: Round[] = []
  for (let round = 0; round < ROUNDS; round++) {
    raw.push(await rawRound(alone, events))
    feed.push(...(await feedRounds(alone, [events], {}, true)))
  }
  return [lowerQuartile(raw, ({ sum }) => sum), lowerQuartile(feed, ({ sum }) => sum)]
}

export const measure = ({ events }: Sizes, report: Report): Promise<void> =>
  withFeedAlone(async (alone) => {
    const producer = await producerOf(alone.brokers)
    await alone.start()
    await producer.announce(connections)
    const live = async () =>
      (await alone.sql.query(`SELECT FROM feed_connection WHERE state = 'live'`)).rowCount === PROPERTIES
    await soon(live, 'the catalogs did not arrive', OFTEN)
    await alone.stop()
    const given = bookings(events)
    await producer.sendBookings(given)
    await producer.disconnect()
    const [raw, feed] = await inTurns(alone, events)
    const rows = [row('bare upsert', raw), row('feed', feed)]
    report.table({
      title: `${events} booking events from Kafka into the feeds and out again`,
      unit: 'µs per event',
      rows,
    })
    report.figure({ name: 'projection, all processes', value: feed.sum, unit: 'CPU µs an event', atMost: 85 })
    report.figure({ name: 'projection', value: feed.rate, unit: 'events/s', atLeast: 10_000 })
    report.figure({ name: 'projection', value: feed.sum / raw.sum, unit: '× the bare upsert' })
    await profile(alone, events, feed.cpu, report)
    // Last, because a fresh JVM spends half a core on compiling Kafka's code.
    const singles = Math.floor(events / SHARE_OF_SINGLES)
    const fresh = Math.floor(singles / SHARE_OF_FRESH)
    const [first, single] = await feedRounds(alone, [fresh, singles], { EVENTS_PER_TRANSACTION: '1' }, false)
    const [early, warm] = [present(first, 'round'), present(single, 'round')]
    report.table({
      title: 'the same, one event per transaction',
      unit: 'µs per event',
      rows: [row(`the first ${fresh} of a process`, early), row(`the next ${singles - fresh}`, warm)],
    })
    report.figure({ name: 'one event per transaction', value: warm.sum, unit: 'CPU µs an event', atMost: 1_500 })
  })
