// Databases that the operator runs, and what is done to them with kubectl.
import { until } from '@connectivity/toolkit/until'
import { NAMESPACE } from '../config.ts'
import type { Kubectl } from '../kubectl.ts'
import { list } from '../node/objects.ts'

export const IN_NAMESPACE = `--namespace=${NAMESPACE}`
/** Limit of everything that the operator does. */
export const LIMIT = '--timeout=320s'
const CLUSTERS = 'cluster.postgresql.cnpg.io'
const DONE_WITHIN = 120_000

/** A database of a Cluster. */
export interface Database {
  cluster: string
  name: string
}

/** Resolves when a condition of the cluster holds. */
export const untilDone = (complaint: string, check: () => boolean): Promise<unknown> =>
  until(check, { within: DONE_WITHIN, every: 500, complaint: () => complaint })

/** A cluster of Kubernetes with databases. */
export class InCluster {
  readonly kubectl: Kubectl

  constructor(kubectl: Kubectl) {
    this.kubectl = kubectl
  }

  /** Applies objects strictly. */
  apply(objects: readonly object[]): void {
    this.kubectl.must(['apply', '--validate=strict', '--filename', '-'], list(objects))
  }

  /** Waits for something of the namespace, while other work goes on. */
  wait(...args: string[]): Promise<string> {
    return this.kubectl.later(['wait', ...args, IN_NAMESPACE, LIMIT])
  }

  /** Resolves when every instance of every Cluster is ready. */
  untilReady(): Promise<string> {
    return this.wait(CLUSTERS, '--all', '--for=condition=Ready')
  }

  primaryOf(cluster: string): string {
    return this.kubectl.must(['get', CLUSTERS, cluster, IN_NAMESPACE, '--output=jsonpath={.status.currentPrimary}'])
  }

  /** Runs statements on a primary, as the superuser. @returns their rows, a line each */
  sql({ cluster, name }: Database, statements: string): string {
    const psql = ['psql', '--quiet', '--no-align', '--tuples-only', '--set=ON_ERROR_STOP=1', `--dbname=${name}`]
    const pod = [this.primaryOf(cluster), '--container=postgres']
    return this.kubectl.must(['exec', '--stdin', ...pod, IN_NAMESPACE, '--', ...psql], statements).trim()
  }

  /** Resolves when the archive has everything that a database has written. */
  async untilArchived(database: Database): Promise<void> {
    const log = this.sql(database, 'SELECT pg_walfile_name(pg_switch_wal())')
    const isArchived = (): boolean =>
      this.sql(database, `SELECT last_archived_wal >= '${log}' FROM pg_stat_archiver`) === 't'
    await untilDone(`${log} of ${database.cluster} was not archived`, isArchived)
  }
}
