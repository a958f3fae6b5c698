import type { ClientBase, PoolClient, QueryConfig, QueryResult } from 'pg'
import type { EntityManager } from 'typeorm'
import type { CommitEffect } from './commit-signals.js'
import { isUnmet } from './must-hold.js'

/** Runs statements: the database, each statement on its own, or an open transaction. */
export type Queryable = Pick<ClientBase, 'query'>

/** Callbacks of a deferred statement. */
interface DeferredStatement {
  /** Error to throw when a condition of `mustHold` in the statement does not hold. */
  unmet?: () => Error
  /** Called with its result before the transaction ends, for example to give a signal after the commit. */
  answered?: (result: QueryResult) => void
}

/** An open transaction (READ COMMITTED). `Database.transaction` begins and ends it. */
export class Transaction implements Queryable {
  /** Runs one statement, as pg's client does. */
  query: ClientBase['query']
  private deferred: Promise<unknown>[] = []
  private announced = new Set<CommitEffect>()
  private readonly announcedAt = new Map<string, Set<CommitEffect>>()
  private manager: Promise<EntityManager> | undefined
  private hasEnded = false

  /** @param managerOn makes TypeORM's entity manager on the transaction's client */
  constructor(
    private readonly client: PoolClient,
    private readonly managerOn: (client: PoolClient) => Promise<EntityManager>,
  ) {
    this.query = client.query.bind(client) as ClientBase['query']
  }

  /**
   * Sends a statement together with what the transaction sends next, its COMMIT at the latest, instead of spending a
   * round trip on it. For statements whose answer nothing waits for: if one fails, everything after it fails too, and
   * the transaction throws its error.
   */
  defer(statement: string | QueryConfig, { unmet, answered }: DeferredStatement = {}): void {
    const sent: Promise<unknown> = this.query(statement).then((result) => answered?.(result))
    const named = sent.catch((error: unknown) => {
      throw unmet && isUnmet(error) ? unmet() : error
    })
    named.catch(() => undefined)
    this.deferred.push(named)
  }

  /**
   * Waits until every deferred statement has taken effect.
   * @throws the error of the first one that failed
   */
  async flush(): Promise<void> {
    for (const sent of this.deferred.splice(0)) await sent
  }

  /** Defers a savepoint, to which `rollbackTo` returns. */
  savepoint(name: string): void {
    this.announcedAt.set(name, new Set(this.announced))
    this.defer(`SAVEPOINT ${name}`)
  }

  /**
   * Undoes every statement and every `afterCommit` since the savepoint, failed ones included.
   * @throws the error of an earlier deferred statement, if the savepoint was never reached
   */
  async rollbackTo(savepoint: string): Promise<void> {
    const failure = await this.flush().then(
      () => null,
      (error: unknown) => error,
    )
    try {
      await this.query(`ROLLBACK TO SAVEPOINT ${savepoint}`)
    } catch (error) {
      throw failure ?? error
    }
    this.announced = new Set(this.announcedAt.get(savepoint))
  }

  /** Makes the transaction read one moment and write nothing; call it first. */
  readSnapshot(): void {
    this.defer('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY')
  }

  /** Limits the time of each further statement of this transaction, ms. */
  limitStatements(ms: number): void {
    this.defer(`SET LOCAL statement_timeout = ${ms}`)
  }

  /**
   * Gives the signal to its listeners once the transaction has committed, or calls the function, for example to
   * measure; the same one several times counts once. The function must not throw.
   */
  afterCommit(effect: CommitEffect): void {
    this.announced.add(effect)
  }

  /** The signals to give and the functions to call after the commit. */
  get commitEffects(): Iterable<CommitEffect> {
    return this.announced
  }

  /** TypeORM's entity manager inside this transaction. */
  entities(): Promise<EntityManager> {
    if (this.hasEnded) throw ended()
    this.manager ??= this.managerOn(this.client)
    return this.manager
  }

  /** Refuses every later statement: the client may be in another transaction by then. */
  async end(): Promise<void> {
    this.hasEnded = true
    this.query = (() => {
      throw ended()
    }) as never
    const manager = await this.manager?.catch(() => undefined)
    await manager?.queryRunner?.release()
  }
}

const ended = (): Error => new Error('the transaction has ended')
