import type { EventEmitter } from 'node:events'
import type { Queryable } from './transaction.js'

/**
 * Every advisory lock that the services take, each as the SQL of its key. PostgreSQL has two spaces of keys: one number
 * of 64 bits, or two of 32 bits. Do not change a key: during a roll-out, replicas of two releases share them.
 * Parameters are SQL expressions, such as `$1`.
 */
export const advisoryLocks = {
  /** Held by the session of the replica that publishes the outbox. */
  outboxRelay: `hashtext('outbox relay')`,
  /** Held by the session of the process that uses the name in its consumer groups. */
  instanceName: (name: string) => `hashtext('instance name'), hashtext(${name})`,
  /** Held by a transaction that works on a mutation. @param scope application, method, path and key, each on a line */
  idempotencyKey: (scope: string) => `hashtextextended(${scope}, 0)`,
  /** Held by the session of a process that has claimed keys. @param holder the process's random number */
  idempotencyClaims: (holder: string) => holder,
  /** Held by a transaction that adds and drops a table's partitions; the function in its migration contains the key. */
  partitions: (table: string) => `hashtext('maintain_${table}')`,
  /** Feed: held by a transaction that projects bookings (shared) or changes what connections see (exclusive). */
  feedProperties: (bucket: string) => `1, ${bucket}`,
  /** Feed: held by the session of the replica that renders the connection again. */
  feedRefresh: (connectionId: string) => `2, hashtext(${connectionId})`,
  /** ARI: held by a transaction that updates the inventory. @param queue property, or property and connection */
  inventoryQueue: (queue: string) => `hashtextextended(${queue}, 0)`,
}

/** Whether a statement failed because it waited too long for a lock (SQLSTATE 55P03). */
export const isLockTimeout = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === '55P03'

/**
 * Takes a lock for as long as the session lives.
 * @param key of `advisoryLocks`
 * @param values of the key's parameters
 * @returns false while another session holds it
 */
export async function tryLock(session: Queryable, key: string, values: readonly string[] = []): Promise<boolean> {
  const { rows } = await session.query<{ taken: boolean }>(`SELECT pg_try_advisory_lock(${key}) AS taken`, [...values])
  return rows[0]!.taken
}

/** Time between two signs of life, ms. */
const SIGN_OF_LIFE = 3_000

/**
 * Lets PostgreSQL end the session when its process has been frozen for 10 s, so that another one gets its locks. TCP
 * does not show a freeze: the kernel answers for the process.
 */
export async function endWhenFrozen(session: Queryable & EventEmitter): Promise<void> {
  await session.query("SET idle_session_timeout = '10s'")
  const signs = setInterval(() => void isAlive(session), SIGN_OF_LIFE)
  session.once('end', () => clearInterval(signs))
}

/** Whether the session still answers: otherwise its locks are lost. */
export const isAlive = (session: Queryable): Promise<boolean> =>
  session.query('SELECT 1').then(
    () => true,
    () => false,
  )

/** Gives back a lock that the session holds. */
export async function unlock(session: Queryable, key: string, values: readonly string[] = []): Promise<void> {
  await session.query(`SELECT pg_advisory_unlock(${key})`, [...values])
}
