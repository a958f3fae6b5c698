import { setTimeout as delay } from 'node:timers/promises'

/** Times of a poll, ms. */
export interface Polling {
  /** Time after which the next look is the last. */
  within: number
  /** Pause between two looks. */
  every: number
}

/** Looks until there is something to find. @returns what was found; null if there was nothing in time */
export async function poll<T>(look: () => Promise<T | null>, { within, every }: Polling): Promise<T | null> {
  for (const end = performance.now() + within; ; await delay(every)) {
    const found = await look()
    if (found !== null || performance.now() > end) return found
  }
}
