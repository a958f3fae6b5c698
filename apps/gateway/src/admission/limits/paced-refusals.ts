import { setTimeout as delay } from 'node:timers/promises'
import { Counts } from '@connectivity/service-kit/work'
import { LocalBuckets } from './local-buckets.js'

/** Refusals of one subject that are answered without delay. */
const UNDELAYED = { per_minute: 120, burst: 50 }
/** Time that a further refusal is held, ms, and how many of one subject are held for it at the same time. */
const HOLD = { time: 500, most: 5 }
/** The same for further refusals; their connections are closed afterwards. */
const LONG_HOLD = { time: 5_000, most: 500 }
/** Most refusals of all subjects that are held for long: each takes about 20 KiB. */
const MOST_HELD_LONG = 2_000

/** Refusals that are held, by subject. */
class Held {
  private readonly counts = new Counts()

  constructor(private readonly hold: typeof HOLD) {}

  /** Number of held refusals of all subjects. */
  get all(): number {
    return this.counts.all
  }

  isFull(subject: string): boolean {
    return this.counts.of(subject) >= this.hold.most
  }

  async add(subject: string): Promise<void> {
    this.counts.add(subject, 1)
    await delay(this.hold.time)
    this.counts.add(subject, -1)
  }
}

/**
 * Slows down clients that continue over their limit. A refusal is cheap, but a client that sends the next request as
 * soon as it has the answer, or reconnects for it, sends thousands a second.
 */
export class PacedRefusals {
  private readonly undelayed = new LocalBuckets()
  private readonly held = new Held(HOLD)
  private readonly heldLong = new Held(LONG_HOLD)

  /**
   * Resolves when the refusal may be answered.
   * @param subject name under which refusals are counted together
   * @returns false when the connection is to end with this answer
   */
  async pace(subject: string): Promise<boolean> {
    if (this.undelayed.take(subject, UNDELAYED).passes) return true
    if (!this.held.isFull(subject)) {
      await this.held.add(subject)
      return true
    }
    if (!this.heldLong.isFull(subject) && this.heldLong.all < MOST_HELD_LONG) await this.heldLong.add(subject)
    return false
  }
}
