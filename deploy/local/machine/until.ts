// Waits for a condition by polling.
import { setTimeout as delay } from 'node:timers/promises'

/** Time limit and interval of the checks. */
export interface Patience {
  /** Time for the condition to become true, ms. */
  within: number
  /** Pause between two checks, ms. */
  every: number
  /** Message of the error after the time limit. */
  complaint: () => string
}

/** Repeats `check` until it returns a truthy value, and resolves with it. */
export async function until<T>(
  check: () => T | Promise<T>,
  { within, every, complaint }: Patience,
): Promise<NonNullable<T>> {
  for (const deadline = Date.now() + within; ; await delay(every)) {
    const found = await check()
    if (found) return found
    if (Date.now() > deadline) throw new Error(complaint())
  }
}
