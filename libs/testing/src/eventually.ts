import { setTimeout as delay } from 'node:timers/promises'

const INTERVAL = 20

/**
 * Repeats `check` until it neither throws nor rejects: waits for a condition with a deadline instead of a sleep.
 * @param deadline ms
 * @returns the result of the check
 * @throws the check's last error once the deadline has passed
 */
export async function eventually<T>(check: () => T | Promise<T>, { deadline = 60_000 } = {}): Promise<T> {
  for (const end = Date.now() + deadline; ; await delay(INTERVAL)) {
    try {
      return await check()
    } catch (error) {
      if (Date.now() > end) throw error
    }
  }
}
