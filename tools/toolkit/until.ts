// Waits for a condition by polling. Tests that state the condition as an expectation use `eventually` of libs/testing.
import { setTimeout as delay } from 'node:timers/promises'

/** Time limit and interval of the checks. */
export interface Patience {
  /** Time for the condition to become true, ms. */
  within: number
  /** Pause between two checks, ms. */
  every: number
}

/** Repeats `check` until it returns a truthy value or the time is up; resolves with its last value. */
export async function poll<T>(check: () => T | Promise<T>, { within, every }: Patience): Promise<T> {
  for (const deadline = Date.now() + within; ; await delay(every)) {
    const found = await check()
    if (found || Date.now() > deadline) return found
  }
}

/**
 * Repeats `check` until it returns a truthy value, and resolves with it.
 * @param given `complaint`: message of the error after the time limit
 */
export async function until<T>(
  check: () => T | Promise<T>,
  given: Patience & { complaint: () => string },
): Promise<NonNullable<T>> {
  const found = await poll(check, given)
  if (found) return found
  throw new Error(given.complaint())
}
