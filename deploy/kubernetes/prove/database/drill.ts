// The restore of docs/operations/backup.md on databases that the operator runs, with the feed on them: backups by the
// operator, rows, a moment, more rows, and a second database at that moment, which the feed takes.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { say, step } from '../../../local/bootstrap/machine/progress.mjs'
import type { Kubectl } from '../kubectl.ts'
import { feedsNotLive, raiseNumbers, runCommandsOfDatabases, stopFeed } from '../runbooks.ts'
import { type Database, IN_NAMESPACE, InCluster, LIMIT, untilDone } from './in-cluster.ts'
import {
  accessToObjectStore,
  ASKED,
  BACKUP_NOW,
  type Databases,
  RESTORED,
  restored,
  restoredRuntime,
  type Services,
  takingRestored,
  volumes,
} from './manifests.ts'

const FEED = { cluster: `${RESTORED}-database`, name: 'reservation_feed' }
const FEED_RESTORED = { ...FEED, cluster: `${FEED.cluster}-restored` }
const DISPATCH = { cluster: `${ASKED}-database`, name: 'event_dispatch' }

/** Bookings of each part: before the backup, after it, and after the moment. */
const BOOKINGS = 1_000
/** Numbers of events of a connection: at the moment, and at the end. */
const [NUMBER_KEPT, NUMBER_LOST] = [5, 9]
/** Pause on each side of the moment that is restored, s. */
const APART = 1

/** What the drill needs of the run. */
export interface Given {
  databases: Databases
  services: Services
  /** Objects of what runs beside the cluster. */
  beside: readonly object[]
  /** Secrets of the services, as manifests. */
  secrets: string
  /** For everything that is written. */
  folder: string
}

const DEPLOYMENT = `deployment/${RESTORED}`

function scaleUp({ kubectl }: InCluster): Promise<string> {
  kubectl.must(['scale', DEPLOYMENT, '--replicas=1', IN_NAMESPACE])
  return kubectl.later(['rollout', 'status', DEPLOYMENT, IN_NAMESPACE, LIMIT])
}

async function bringUp(cluster: InCluster, { databases, services, beside, secrets, folder }: Given): Promise<void> {
  cluster.apply(services.namespaces)
  cluster.kubectl.must(['apply', '--filename', '-'], secrets)
  cluster.apply([...beside, accessToObjectStore, ...volumes(join(folder, 'volumes'))])
  cluster.apply([databases.objectStore, ...databases.clusters])
  await step('two databases of two instances are ready', () => cluster.untilReady())
  cluster.apply(services.objects)
  const jobs = ['job', '--selector=app.kubernetes.io/component=deploy-step', '--for=condition=complete']
  await step('they are migrated', () => cluster.wait(...jobs))
  await step('the feed is ready', () => scaleUp(cluster))
}

function addBookings(cluster: InCluster, part: string): void {
  const columns = 'property_id, reservation_id, version, confirmed, source_offset, snapshot'
  const rows = `SELECT 'prop_drill', '${part}_' || n, 1, true, n, '{}' FROM generate_series(1, ${BOOKINGS}) n`
  cluster.sql(FEED, `INSERT INTO booking (${columns}) ${rows}`)
}

/** Base backups by the schedules, and one by hand. */
async function backUp(cluster: InCluster, { schedules }: Databases): Promise<void> {
  const { kubectl } = cluster
  const count = (): number => kubectl.list(['backups.postgresql.cnpg.io', IN_NAMESPACE]).length
  const untilCompleted = async (expected: number): Promise<void> => {
    await untilDone('no backups were made', () => count() >= expected)
    await cluster.wait('backups.postgresql.cnpg.io', '--all', '--for=jsonpath={.status.phase}=completed')
  }
  cluster.apply(schedules)
  await step(`${schedules.length} backups by schedule are complete`, () => untilCompleted(schedules.length))
  kubectl.must(['create', '--filename', BACKUP_NOW])
  await step('a backup by hand is complete', () => untilCompleted(schedules.length + 1))
}

/** Writes rows around a moment. @returns the moment */
async function writeRows(cluster: InCluster): Promise<string> {
  const connection = `'con_drill', 'prop_drill', 'drill', 'live', ${NUMBER_KEPT}`
  const columns = 'connection_id, property_id, external_property_id, state, last_sequence'
  cluster.sql(FEED, `INSERT INTO feed_connection (${columns}) VALUES (${connection})`)
  addBookings(cluster, 'kept')
  const pause = `SELECT pg_sleep(${APART})`
  const moment = cluster.sql(FEED, `${pause}; SELECT now(); ${pause}`).trim()
  addBookings(cluster, 'lost')
  cluster.sql(FEED, `UPDATE feed_connection SET last_sequence = ${NUMBER_LOST}`)
  const summary = `('con_drill', ${NUMBER_LOST})`
  cluster.sql(DISPATCH, `INSERT INTO event_summary (connection_id, dropped_sequence) VALUES ${summary}`)
  say(`${3 * BOOKINGS} bookings are written, ${2 * BOOKINGS} of them until ${moment}`)
  return moment
}

/** Step 3: a second database, at the moment. */
async function restore(cluster: InCluster, moment: string): Promise<void> {
  await step('the archive has the end of the log', () => cluster.untilArchived(FEED))
  cluster.apply(restored(moment))
  await step('restored beside the old database, two instances', () => cluster.untilReady())
  await step('the restored database archives, too', () => cluster.untilArchived(FEED_RESTORED))
}

const numberOf = (cluster: InCluster, database: Database): number =>
  Number(cluster.sql(database, `SELECT last_sequence FROM feed_connection WHERE connection_id = 'con_drill'`))

/** Looks at both databases, and takes steps 4 and 5. @returns what is wrong */
function judge(cluster: InCluster, folder: string): string[] {
  const count = `SELECT split_part(reservation_id, '_', 1), count(*) FROM booking GROUP BY 1 ORDER BY 1`
  const [old, now] = [FEED, FEED_RESTORED].map((database) => cluster.sql(database, count).replaceAll(/\s+/g, ', '))
  say(`bookings of the old database: ${old}; of the restored one: ${now}`)
  const before = numberOf(cluster, FEED_RESTORED)
  const scratch = join(folder, 'reader')
  mkdirSync(scratch)
  raiseNumbers(cluster.kubectl, scratch)
  const after = numberOf(cluster, FEED_RESTORED)
  say(`number of events of the connection: ${before}, raised to ${after}`)
  const notLive = cluster.sql(FEED_RESTORED, feedsNotLive())
  return [
    ...(old === `before|${BOOKINGS}, kept|${BOOKINGS}, lost|${BOOKINGS}` ? [] : ['the old database is another one']),
    ...(now === `before|${BOOKINGS}, kept|${BOOKINGS}` ? [] : ['the restored database has other bookings']),
    ...(before === NUMBER_KEPT && after === NUMBER_LOST ? [] : ['the number of events was not restored and raised']),
    ...(notLive === '' ? [] : [`feeds that were not live: ${notLive}`]),
  ]
}

/** Sessions of the feed in a database, which must all be encrypted. */
const sessionsOf = (cluster: InCluster, database: Database): number => {
  const activity = `pg_stat_activity JOIN pg_stat_ssl USING (pid) WHERE usename = '${FEED.name}_runtime' AND ssl`
  return Number(cluster.sql(database, `SELECT count(*) FROM ${activity}`))
}

/** Step 6: the feed runs on the restored database. @returns what is wrong */
async function takeOver(cluster: InCluster, { services, secrets }: Given): Promise<string[]> {
  cluster.apply([restoredRuntime(secrets), takingRestored(services.deployment)])
  await step('the feed is ready on the restored database', () => scaleUp(cluster))
  const [old, now] = [sessionsOf(cluster, FEED), sessionsOf(cluster, FEED_RESTORED)]
  say(`sessions of the feed over TLS: ${old} in the old database, ${now} in the restored one`)
  return old === 0 && now > 0 ? [] : ['the feed does not use the restored database']
}

/** @returns whether everything was as it must be */
export async function drill(kubectl: Kubectl, given: Given): Promise<boolean> {
  const cluster = new InCluster(kubectl)
  await bringUp(cluster, given)
  addBookings(cluster, 'before')
  await backUp(cluster, given.databases)
  const moment = await writeRows(cluster)
  stopFeed(kubectl)
  await restore(cluster, moment)
  const wrong = [...judge(cluster, given.folder), ...(await takeOver(cluster, given))]
  const { run, failed } = runCommandsOfDatabases(kubectl, cluster.primaryOf(FEED.cluster))
  say(`kubectl lines of the runbooks that need the operator: ${run} run, ${failed.length} failed`)
  for (const line of [...wrong, ...failed]) process.stdout.write(`          ${line}\n`)
  return run > 0 && failed.length === 0 && wrong.length === 0
}
