import { EventEmitter } from 'node:events'
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common'
import { Client, Pool, type PoolClient, type PoolConfig } from 'pg'
import { DataSource, type DataSourceOptions } from 'typeorm'
import { addressOf, type DatabaseAddress } from './database-address.js'
import { LightClient, socketsEndingAfter } from './light-client.js'

/** What a service says about its database. */
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
/** A writer that waits longer for a row gives up, tells its consumer group that it lives, and tries again, ms. */
const LOCK_TIMEOUT = 1_000
/** A transaction in which nothing goes on has lost its process, ms. */
const idleTimeout = { idle_in_transaction_session_timeout: 10_000 }
const CONNECT_TIMEOUT = 5_000
const KEEP_ALIVE_DELAY = 10_000
/** No statement of ours takes so long; the sockets' own limit ends one whose server is gone without a word, ms. */
const statementLimits = { statement_timeout: 30_000, stream: socketsEndingAfter(40_000) }

/** Of every pool, TypeORM's too. */
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

/** What open transactions have written that somebody waits for, by name. */
const announced = new WeakMap<Transaction, Set<string>>()

/** Notes that the transaction has written what listeners of that name on `Database.committed` wait for. */
export function announceOnCommit(tx: Transaction, name: string): void {
  const names = announced.get(tx)
  if (names) names.add(name)
  else announced.set(tx, new Set([name]))
}

/** Notes that the transaction has written to the outbox, so that the relay is woken when it commits. */
export const markOutboxWritten = (tx: Transaction): void => announceOnCommit(tx, 'outbox')

/** Statements of open transactions whose outcome nobody has waited for yet. */
const sentAlong = new WeakMap<Transaction, Promise<unknown>[]>()

/**
 * Lets a statement travel together with what the transaction sends next, its COMMIT at the latest, instead of taking a
 * round trip of its own. For statements whose outcome decides nothing: if one fails, so does everything behind it, and
 * the transaction throws its error.
 */
export function sendAlong(tx: Transaction, statement: Promise<unknown>): void {
  statement.catch(() => undefined)
  const sent = sentAlong.get(tx)
  if (sent) sent.push(statement)
  else sentAlong.set(tx, [statement])
}

/**
 * Waits until everything that was sent along has taken effect.
 * @throws the error of the first statement that has not
 */
export async function arrived(tx: Transaction): Promise<void> {
  const sent = sentAlong.get(tx) ?? []
  sentAlong.delete(tx)
  for (const statement of sent) await statement
}

/**
 * TypeORM, for entities and migrations.
 * @param limits of its sessions; none for migrations, which take as long as they take
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
  /** Emits after each commit what its transaction announced: `outbox` when it left messages there. */
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
   * Runs `work` in one transaction (READ COMMITTED) and commits, or rolls everything back when it throws. Statements may
   * be sent together by `Promise.all`: when one fails, so do those behind it. What goes on to send more must be the last
   * of them, beside nothing that throws for another reason, or it would send the rest behind the ROLLBACK.
   * @throws what `work` threw, or the database's error
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
      // What failed first made the rest fail.
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

  /** A connection of its own for session-wide locks and LISTEN; the caller ends it. A lost one fails its next query. */
  async session(): Promise<Client> {
    const client = new Client(poolConfig(this.options))
    client.on('error', () => undefined)
    await client.connect()
    // A node that vanished keeps its locks until the server notices: within half a minute instead of two hours.
    await client.query('SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3')
    return client
  }

  /** After the last request and the last batch: the listener and the consumers are closed before this hook. */
  onApplicationShutdown(): Promise<void> {
    return this.close()
  }

  /** Ends every connection once its work is done. */
  async close(): Promise<void> {
    await (await this.source)?.destroy()
    await Promise.all([this.reads.end(), this.writes.end()])
  }
}
