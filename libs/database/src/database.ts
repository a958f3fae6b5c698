import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common'
import { type Client, type ClientBase, Pool, type PoolClient, type PoolConfig } from 'pg'
import { DataSource, type DataSourceOptions, type EntityManager } from 'typeorm'
import { CommitListeners, type CommitSignal } from './commit-signals.js'
import { addressOf, type DatabaseAddress } from './database-address.js'
import { entityManagerOn } from './entity-manager.js'
import { LightClient, socketsEndingAfter } from './light-client.js'
import { SessionClient } from './session-client.js'
import { type Queryable, Transaction } from './transaction.js'

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

/** Makes PostgreSQL keep one plan of each statement for all values. By default it may plan every execution. */
export const GENERIC_PLANS = { plan_cache_mode: 'force_generic_plan' }

/** Makes statements find rows by key. By default, PostgreSQL scans tables that were small at the last ANALYZE. */
export const NO_SCANS = { enable_seqscan: 'off', enable_hashjoin: 'off', enable_mergejoin: 'off' }

/** Settings for transactions and queues: rows by key in tables of any size, and no cost of planning. */
const BY_KEYS = { ...GENERIC_PLANS, ...NO_SCANS, enable_material: 'off' }

/**
 * Sessions for transactions refuse to write outside one. So statements may follow BEGIN without waiting for its answer:
 * if BEGIN fails, they have no effect.
 */
const ONLY_IN_TRANSACTIONS = { default_transaction_read_only: 'on' }
/** First statement on every connection for transactions. */
const FOR_TRANSACTIONS = Object.entries({ ...BY_KEYS, ...ONLY_IN_TRANSACTIONS })
  .map(([name, value]) => `SET ${name} = '${value}'`)
  .join('; ')
const BEGIN = 'BEGIN READ WRITE'

/** Connections for single statements, and as many for TypeORM; PostgreSQL gains nothing from more on a few cores. */
export const STATEMENTS_AT_ONCE = 4
/** Connections for transactions. */
export const TRANSACTIONS_AT_ONCE = 8
const CONNECT_TIMEOUT = 5_000
const KEEP_ALIVE_DELAY = 10_000
/** Limits of statements and transactions, ms; sessions for locks and LISTEN have their own. */
const limits = {
  /** A statement that waits longer for a lock fails: callers try again, or answer 503. */
  lock_timeout: 1_000,
  /** The process of a transaction that is idle for this long is gone. */
  idle_in_transaction_session_timeout: 10_000,
  /** Longer than any of our statements takes. The sockets' own limit ends one whose server vanished silently. */
  statement_timeout: 30_000,
  stream: socketsEndingAfter(40_000),
}

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

/**
 * TypeORM, for entities and migrations.
 * @param sessionLimits limits of its sessions; none for migrations, which may take any time
 */
export const createDataSource = (options: DatabaseOptions, sessionLimits: PoolConfig = {}): DataSource =>
  new DataSource({
    type: 'postgres',
    url: options.url,
    applicationName: options.applicationName,
    entities: options.entities ?? [],
    migrations: options.migrations,
    migrationsTableName: 'migration',
    migrationsTransactionMode: 'each',
    poolSize: STATEMENTS_AT_ONCE,
    extra: { ...ofEveryPool, ...addressOf(options), pipeline: true, ...sessionLimits },
  })

/** The service's PostgreSQL. */
@Injectable()
export class Database implements Queryable, OnApplicationShutdown {
  /** Runs one statement, which commits by itself. */
  readonly query: ClientBase['query']
  private readonly statements: Pool
  private readonly transactions: Pool
  private readonly listeners = new CommitListeners()
  private source: Promise<DataSource> | undefined

  constructor(@Inject(DATABASE_OPTIONS) private readonly options: DatabaseOptions) {
    this.statements = new Pool({ ...poolConfig(options), ...limits, max: STATEMENTS_AT_ONCE })
    this.transactions = new Pool({ ...poolConfig(options), ...limits, max: TRANSACTIONS_AT_ONCE, pipeline: true })
    // Not set by start-up parameters: a URL or a pooler may override them. Fails only if the connection does.
    this.transactions.on('connect', (client) => client.query(FOR_TRANSACTIONS).catch(() => undefined))
    this.query = this.statements.query.bind(this.statements) as ClientBase['query']
    // A lost idle connection is replaced at the next use; without a listener it would end the process.
    for (const pool of [this.statements, this.transactions]) pool.on('error', () => undefined)
  }

  /**
   * Runs `work` in one transaction (READ COMMITTED) and commits, or rolls everything back when it throws. Statements
   * may be sent together by `Promise.all`: when one fails, so do those after it. A call that sends several statements
   * must be the last in the list, and the others may fail only by a statement. Otherwise it sends its rest after the
   * ROLLBACK.
   * @throws the error of `work` or of the database
   */
  async transaction<T>(work: (tx: Transaction) => Promise<T> | T): Promise<T> {
    const client = await this.transactions.connect()
    const tx = new Transaction(client, this.managerOn)
    let broken: Error | undefined
    const onError = (error: Error) => (broken = error)
    client.on('error', onError)
    try {
      tx.defer(BEGIN)
      const result = await work(tx)
      const { command } = await client.query('COMMIT')
      await tx.flush()
      if (command !== 'COMMIT')
        throw new Error('a statement of the transaction failed unnoticed; nothing was committed')
      this.listeners.give(tx.commitEffects)
      return result
    } catch (error) {
      await client.query('ROLLBACK').catch((rollback: Error) => (broken = rollback))
      // Throws the first failure, which made the rest fail.
      await tx.flush()
      throw error
    } finally {
      await tx.end()
      client.removeListener('error', onError)
      client.release(broken)
    }
  }

  /**
   * Calls the listener after each commit of this process that gives the signal.
   * @returns removes the listener
   */
  onCommit(signal: CommitSignal, listener: () => void): () => void {
    return this.listeners.add(signal, listener)
  }

  /** TypeORM's entity manager outside transactions. */
  async entities(): Promise<EntityManager> {
    return (await this.dataSource()).manager
  }

  /** A dedicated connection for session-wide locks and LISTEN; the caller ends it. Once lost, its next query fails. */
  session(): Promise<Client> {
    const { options } = this
    return SessionClient.open(poolConfig({ ...options, settings: { ...options.settings, ...BY_KEYS } }))
  }

  /** Runs after the last request and the last batch: the listener and the consumers close before this hook. */
  onApplicationShutdown(): Promise<void> {
    return this.close()
  }

  /** Closes every connection once its work is done. */
  async close(): Promise<void> {
    await (await this.source)?.destroy()
    await Promise.all([this.statements.end(), this.transactions.end()])
  }

  private readonly managerOn = async (client: PoolClient): Promise<EntityManager> =>
    entityManagerOn(await this.dataSource(), client)

  /** TypeORM's data source, opened at its first use. */
  private dataSource(): Promise<DataSource> {
    this.source ??= createDataSource(this.options, limits).initialize()
    this.source.catch(() => (this.source = undefined))
    return this.source
  }
}
