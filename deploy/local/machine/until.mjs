// Waits for a condition by polling.
import { setTimeout as delay } from 'node:timers/promises'

/**
 * Repeats `check` until it returns a truthy value, and resolves with it.
 * @param {{ within: number, every: number, complaint: () => string }} how ms; `complaint`: message of the error when it
 *   takes longer than `within`
 */
export async function until(check, { within, every, complaint }) {
  for (const deadline = Date.now() + within; ; await delay(every)) {
    const found = await check()
    if (found) return found
    if (Date.now() > deadline) throw new Error(complaint())
  }
}
