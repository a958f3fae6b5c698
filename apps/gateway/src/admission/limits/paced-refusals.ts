import { setTimeout as delay } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { Allowance } from './allowance.js'

/** Refusals of one subject that are answered at once, in a row and per second. */
const AT_ONCE = { burst: 50, rate: 10 }
/** Time that every further refusal is held, ms. */
const HOLD = 500
/** Subjects remembered; the least recently refused goes first. */
const MAX_SUBJECTS = 10_000

/**
 * Slows down clients that go on over their limit. A refusal is cheap, but a client that sends the next request as soon as
 * it has the answer asks for thousands a second.
 */
export class PacedRefusals {
  private readonly subjects = new LRUCache<string, Allowance>({ max: MAX_SUBJECTS })

  /** Resolves when the refusal may be answered. @param subject whose calls are counted together */
  async pace(subject: string): Promise<void> {
    const now = performance.now()
    let allowance = this.subjects.get(subject)
    if (!allowance) this.subjects.set(subject, (allowance = new Allowance(AT_ONCE.rate, AT_ONCE.burst, now)))
    if (!allowance.take(now)) await delay(HOLD)
  }
}
