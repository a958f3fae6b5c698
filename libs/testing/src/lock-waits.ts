import { eventually } from './eventually.js'

interface Queryable {
  query: (text: string) => Promise<{ rows: unknown[] }>
}

/** SQL: a row for each session of this database that waits for a lock. */
export const LOCK_WAITS = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`

/**
 * Starts `work` while the caller holds locks; returns once `work` waits for one of them or has ended. The caller
 * releases its locks before it awaits the end of `work`.
 * @param database a database that no other test uses
 * @returns waits for the end of `work`, and repeats `work` once if it timed out at the lock
 */
export async function startUntilLocked(
  database: Queryable,
  work: () => Promise<unknown>,
): Promise<() => Promise<void>> {
  const started = work()
  let hasEnded = false
  const end = () => void (hasEnded = true)
  started.then(end, end)
  await eventually(async () => {
    if (!hasEnded && (await database.query(LOCK_WAITS)).rows.length === 0) throw new Error('no lock is waited for')
  })
  return async () => {
    try {
      await started
    } catch (error) {
      if (!isLockTimeout(error)) throw error
      await work()
    }
  }
}

const isLockTimeout = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === '55P03'
