import { setTimeout as delay } from 'node:timers/promises'
import { LocalBuckets } from './local-buckets.js'

/** Refusals of one subject that are answered without delay. */
const UNDELAYED = { per_minute: 600, burst: 50 }
/** Time that every further refusal is held, ms. */
const HOLD = 500
/** Refusals of one subject that are held at the same time. */
const MOST_HELD = 50

/**
 * Slows down clients that continue over their limit. A refusal is cheap, but a client that sends the next request as soon
 * as it has the answer sends thousands a second.
 */
export class PacedRefusals {
  private readonly undelayed = new LocalBuckets()
  /** Refusals that are held, by subject. */
  private readonly held = new Map<string, number>()

  /**
   * Resolves when the refusal may be answered.
   * @param key names what is counted together
   * @returns false when too many are held already: answer at once and close the connection
   */
  async pace(key: string): Promise<boolean> {
    if (this.undelayed.take(key, UNDELAYED).passes) return true
    const held = this.held.get(key) ?? 0
    if (held >= MOST_HELD) return false
    this.held.set(key, held + 1)
    await delay(HOLD)
    this.release(key)
    return true
  }

  private release(key: string): void {
    const left = this.held.get(key)! - 1
    if (left > 0) this.held.set(key, left)
    else this.held.delete(key)
  }
}
