import { EventEmitter } from 'node:events'
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common'
import { Client, Pool, type PoolClient, type PoolConfig } from 'pg'
import { DataSource, type DataSourceOptions } from 'typeorm'
import { addressOf, type DatabaseAddress } from './database-address.js'
import { LightClient, socketsEndingAfter } from './light-client.js'

/** Database settings of a service. */
export interface DatabaseOptions extends DatabaseAddress {
  /** Name shown in pg_stat_activity. */
  applicationName: string
  /** TypeORM's row classes and migrations, listed as classes. */
  entities?: NonNullable<DataSourceOptions['entities']>
  migrations: NonNullable<DataSourceOptions['migrations']>
  /** Settings of every session of the pools, for example the planner's. */
  settings?: Readonly<Record<string, string>>
}

/** Injection token of `DatabaseOptions`. */
export const DATABASE_OPTIONS = Symbol('database options')

/** A client inside a transaction. */
export type Transaction = PoolClient

/** Connections for short reads; PostgreSQL gains nothing from more on a few cores. */
const READERS = 4
const WRITERS = 8
/** A writer that waits longer for a row gives up, reports to its consumer group that it is alive, and retries, ms. */
const LOCK_TIMEOUT = 1_000
/** A transaction that is idle for this long has lost its process, ms. */
const idleTimeout = { idle_in_transaction_session_timeout: 10_000 }
const CONNECT_TIMEOUT = 5_000
const KEEP_ALIVE_DELAY = 10_000
/** Longer than any of our statements takes, ms. The sockets' own limit ends one whose server vanished silently. */
const statementLimits = { statement_timeout: 30_000, stream: socketsEndingAfter(40_000) }

/** Settings of every pool, TypeORM's too. */
const ofEveryPool: PoolConfig = { Client: LightClient, connectionTimeoutMillis: CONNECT_TIMEOUT, keepAlive: true }

const poolConfig = (options: DatabaseOptions): PoolConfig => ({
  ...ofEveryPool,
  ...addressOf(options),
  application_name: options.applicationName,
  keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY,
  ...(options.settings && { options: settingsText(options.settings) }),
})

const settingsText = (settings: Readonly<Record<string, string>>): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')

/** Names that open transactions have announced, for listeners on `Database.committed`. */
const announced = new WeakMap<Transaction, Set<string>>()

/** Announces `name` to listeners on `Database.committed` when the transaction commits. */
export function announceOnCommit(tx: Transaction, name: string): void {
  const names = announced.get(tx)
  if (names) names.add(name)
  else announced.set(tx, new Set([name]))
}

/** Notes that the transaction has written to the outbox, so that its commit wakes the relay. */
export const markOutboxWritten = (tx: Transaction): void => announceOnCommit(tx, 'outbox')

/** Statements of open transactions that no caller has awaited yet. */
const sentAlong = new WeakMap<Transaction, Promise<unknown>[]>()

/**
 * Sends a statement together with what the transaction sends next, its COMMIT at the latest, instead of spending a
 * round trip on it. For statements whose outcome decides nothing: if one fails, everything behind it fails too, and the
 * transaction throws its error.
 */
export function sendAlong(tx: Transaction, statement: Promise<unknown>): void {
  statement.catch(() => undefined)
  const sent = sentAlong.get(tx)
  if (sent) sent.push(statement)
  else sentAlong.set(tx, [statement])
}

/**
 * Waits until everything that was sent along has taken effect.
 * @throws the error of the first statement that failed
 */
export async function arrived(tx: Transaction): Promise<void> {
  const sent = sentAlong.get(tx) ?? []
  sentAlong.delete(tx)
  for (const statement of sent) await statement
}

/**
 * TypeORM, for entities and migrations.
 * @param limits of its sessions; none for migrations, which may take any time
 */
export const createDataSource = (options: DatabaseOptions, limits: PoolConfig = {}): DataSource =>
  new DataSource({
    type: 'postgres',
    url: options.url,
    applicationName: options.applicationName,
    entities: options.entities ?? [],
    migrations: options.migrations,
    migrationsTableName: 'migration',
    migrationsTransactionMode: 'each',
    poolSize: READERS,
    extra: { ...ofEveryPool, ...addressOf(options), pipeline: true, ...limits },
  })

/** The service's PostgreSQL: pools for hand-written SQL and, where entities are used, a TypeORM data source. */
@Injectable()
export class Database implements OnApplicationShutdown {
  /** Short reads outside transactions. */
  readonly reads: Pool
  /** Emits after each commit the names that the transaction announced: `outbox` when it left messages there. */
  readonly committed = new EventEmitter<Record<string, []>>()
  private readonly writes: Pool
  private source: Promise<DataSource> | undefined

  constructor(@Inject(DATABASE_OPTIONS) private readonly options: DatabaseOptions) {
    this.reads = new Pool({ ...poolConfig(options), ...statementLimits, max: READERS })
    this.writes = new Pool({
      ...poolConfig(options),
      ...statementLimits,
      ...idleTimeout,
      max: WRITERS,
      pipeline: true,
      lock_timeout: LOCK_TIMEOUT,
    })
    // A lost idle connection is replaced at the next use; without a listener it would end the process.
    for (const pool of [this.reads, this.writes]) pool.on('error', () => undefined)
  }

  /**
   * Runs `work` in one transaction (READ COMMITTED) and commits, or rolls everything back when it throws. Statements
   * may be sent together by `Promise.all`: when one fails, so do those behind it. A call that sends several statements
   * must be the last in the list, and the others may fail only by a statement. Otherwise it sends its rest behind the
   * ROLLBACK.
   * @throws the error of `work` or of the database
   */
  async transaction<T>(work: (tx: Transaction) => Promise<T> | T): Promise<T> {
    const tx = await this.writes.connect()
    let broken: Error | undefined
    const onError = (error: Error) => (broken = error)
    tx.on('error', onError)
    try {
      await tx.query('BEGIN')
      const result = await work(tx)
      const { command } = await tx.query('COMMIT')
      if (command !== 'COMMIT')
        throw new Error('a statement of the transaction failed unnoticed; nothing was committed')
      for (const name of announced.get(tx) ?? []) this.committed.emit(name)
      return result
    } catch (error) {
      await tx.query('ROLLBACK').catch((rollback: Error) => (broken = rollback))
      // Throws the first failure, which made the rest fail.
      await arrived(tx)
      throw error
    } finally {
      announced.delete(tx)
      sentAlong.delete(tx)
      tx.removeListener('error', onError)
      tx.release(broken)
    }
  }

  /** TypeORM's data source, opened at the first use. */
  dataSource(): Promise<DataSource> {
    this.source ??= createDataSource(this.options, { ...statementLimits, ...idleTimeout }).initialize()
    this.source.catch(() => (this.source = undefined))
    return this.source
  }

  /** A dedicated connection for session-wide locks and LISTEN; the caller ends it. Once lost, its next query fails. */
  async session(): Promise<Client> {
    const client = new Client(poolConfig(this.options))
    client.on('error', () => undefined)
    await client.connect()
    // Lets the server release the locks of a vanished node within half a minute instead of two hours.
    await client.query('SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3')
    return client
  }

  /** Runs after the last request and the last batch: the listener and the consumers close before this hook. */
  onApplicationShutdown(): Promise<void> {
    return this.close()
  }

  /** Ends every connection once its work is done. */
  async close(): Promise<void> {
    await (await this.source)?.destroy()
    await Promise.all([this.reads.end(), this.writes.end()])
  }
}
