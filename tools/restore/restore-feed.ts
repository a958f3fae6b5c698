// The steps of docs/operations/backup.md for the feed, under the load of the fault runs.
import { setTimeout as sleep } from 'node:timers/promises'
import { metricsOf, sumOfMetric } from '@connectivity/toolkit/metrics'
import { say } from '../../deploy/local/bootstrap/machine/progress.mjs'
import { until } from '@connectivity/toolkit/until'
import { withClient } from '../../deploy/local/parts/databases.ts'
import type { Fault, Run } from '../faults/faults/fault.ts'
import type { FaultStack } from '../faults/stack/fault-stack.ts'
import type { Archive } from './archive.ts'
import { documented } from '@connectivity/toolkit/backup-page'
import { restoredServer } from './restored-server.ts'

/** Name of the server in the archive. */
const SERVER = 'reservation-feed-database'
/** Time of the changes that are kept, and of those that are lost with the database, ms. */
const [KEPT, LOST] = [10_000, 20_000]
/** Stamps lead the clock by seconds at most, ms. */
const CLOCK_PASSES = 60_000
const DONE_WITHIN = 60_000
/** Time within which answers in flight arrive, ms. */
const SETTLES = 2_000

/** URL of a database of a server. */
function databaseUrl(adminUrl: string, database: string): string {
  const url = new URL(adminUrl)
  url.pathname = `/${database}`
  return url.href
}

/** Rows of a statement in a database of a server, as its administrator. */
const rowsOf = <T extends object>(adminUrl: string, database: string, sql: string): Promise<T[]> => {
  return withClient(databaseUrl(adminUrl, database), async (client) => (await client.query<T>(sql)).rows)
}

async function now(adminUrl: string): Promise<string> {
  const [row] = await rowsOf<{ at: string }>(adminUrl, 'postgres', 'SELECT now()::text AS at')
  return row!.at
}

/** Step 1: no process of the feed runs. */
async function stopFeed(stack: FaultStack): Promise<void> {
  const names = stack.processes['reservation-feed']!
  for (const name of names) stack.hold(name)
  const isStopped = async () => !(await Promise.all(names.map((name) => answers(stack, name)))).some(Boolean)
  await until(isStopped, { within: DONE_WITHIN, every: 100, complaint: () => 'the feed still answers' })
}

const answers = (stack: FaultStack, name: string): Promise<boolean> =>
  fetch(`http://127.0.0.1:${stack.probePortOf(name)}/health/live`).then(
    () => true,
    () => false,
  )

/** Messages that a process has not applied yet. */
const lagOf = async (stack: FaultStack, name: string): Promise<number> =>
  sumOfMetric(await metricsOf(`http://127.0.0.1:${stack.probePortOf(name)}`), 'connectivity_kafka_consumer_lag')

/** Resolves when all processes of a service have read their topics to the end. */
async function untilRead(stack: FaultStack, service: string): Promise<void> {
  const lags = () => Promise.all(stack.processes[service]!.map((name) => lagOf(stack, name)))
  const hasRead = async () => (await lags()).every((lag) => lag === 0)
  await until(hasRead, { within: DONE_WITHIN, every: 200, complaint: () => `${service} has not read to the end` })
}

/** Resolves when the archive has everything that the old server has written. */
async function untilArchived({ adminUrl }: FaultStack): Promise<void> {
  const [{ file }] = (await rowsOf<{ file: string }>(
    adminUrl,
    'postgres',
    'SELECT pg_walfile_name(pg_switch_wal()) AS file',
  )) as [{ file: string }]
  const sql = `SELECT last_archived_wal >= '${file}' AS done FROM pg_stat_archiver`
  const isDone = async () => (await rowsOf<{ done: boolean | null }>(adminUrl, 'postgres', sql))[0]!.done === true
  await until(isDone, { within: DONE_WITHIN, every: 200, complaint: () => `${file} was not archived` })
}

/** Step 4: raises the numbers of events above those that event dispatch knows. */
async function raiseNumbers(stack: FaultStack, restored: string): Promise<number> {
  const { seen, createSeen, raise } = documented()
  const known = await rowsOf<{ connection_id: string; greatest: string | null }>(stack.adminUrl, 'event_dispatch', seen)
  return withClient(databaseUrl(restored, 'reservation_feed'), async (client) => {
    await client.query(createSeen)
    for (const { connection_id, greatest } of known)
      await client.query('INSERT INTO seen VALUES ($1, $2)', [connection_id, greatest])
    return (await client.query(raise)).rowCount ?? 0
  })
}

/** Step 5: checks that every feed was live, and that the clock has passed the end of the lost period. */
async function lookAtFeedsAndClock(restored: string, end: number): Promise<void> {
  const rest = await rowsOf(restored, 'reservation_feed', documented().notLive)
  if (rest.length > 0) throw new Error(`feeds that were not live: ${JSON.stringify(rest)}`)
  const isPast = async () => Date.parse(await now(restored)) > end + CLOCK_PASSES
  await until(isPast, {
    within: 2 * CLOCK_PASSES,
    every: 1_000,
    complaint: () => 'the clock of the database is behind',
  })
}

async function restoreFeed({ stack, workload, history }: Run, archive: Archive): Promise<void> {
  await archive.backUp(SERVER)
  await sleep(KEPT)
  const moment = await now(stack.adminUrl)
  await sleep(LOST)
  await stopFeed(stack)
  const end = Date.now()
  say(`the feed is stopped ${((end - Date.parse(moment)) / 1_000).toFixed(1)} s after ${moment}`)
  await untilRead(stack, 'event-dispatch')
  await untilArchived(stack)
  const port = await restoredServer(stack, archive, { server: SERVER, moment })
  const restored = new URL(stack.adminUrl)
  restored.port = String(port)
  say('restored beside the old database')
  say(`numbers of ${await raiseNumbers(stack, restored.href)} connections raised`)
  await lookAtFeedsAndClock(restored.href, end)
  for (const path of stack.databases['reservation-feed']!) path.redirect(port)
  const compared = history.digests.length
  for (const name of stack.processes['reservation-feed']!) stack.release(name)
  await stack.untilAllReady()
  await workload.probe()
  await untilRead(stack, 'reservation-feed')
  await sleep(SETTLES)
  // Until then the feed lacks rows that partners have: the page says so.
  const early = history.digests.splice(compared)
  say(`the feed has caught up; ${early.length} digests of before are not judged`)
}

/** The restore as a fault. */
export const restore = (archive: Archive): Fault => ({
  name: 'feed-restored',
  about: 'the database of the feed is lost and restored to an earlier moment',
  inject: (run) => restoreFeed(run, archive),
})

/** Turns archiving on, which needs a restart. */
export async function archiveInto(archive: Archive, stack: FaultStack): Promise<void> {
  await withClient(stack.adminUrl, async (client) => {
    await client.query("ALTER SYSTEM SET archive_mode = 'on'")
    await client.query(`ALTER SYSTEM SET archive_command = '${archive.archiveCommand(SERVER)}'`)
  })
  await stack.restart('postgres', 'SIGINT')
  const isUp = () => now(stack.adminUrl).then(() => true, () => false) // prettier-ignore
  await until(isUp, { within: DONE_WITHIN, every: 200, complaint: () => 'PostgreSQL does not come back' })
  await stack.untilAllReady()
}
