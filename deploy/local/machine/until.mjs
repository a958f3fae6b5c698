// Waiting for something that nobody announces.
import { setTimeout as delay } from 'node:timers/promises'

/**
 * Looks again and again until `check` gives something truthy, and resolves with it.
 * @param {{ within: number, every: number, complaint: () => string }} how ms; `complaint`: words of the error when it
 *   takes longer than that
 */
export async function until(check, { within, every, complaint }) {
  for (const deadline = Date.now() + within; ; await delay(every)) {
    const found = await check()
    if (found) return found
    if (Date.now() > deadline) throw new Error(complaint())
  }
}
