import { setTimeout as delay } from 'node:timers/promises'
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
  /** Number of held refusals of all subjects. */
  all = 0
  private readonly own = new Map<string, number>()

  constructor(private readonly hold: typeof HOLD) {}

  isFull(subject: string): boolean {
    return this.of(subject) >= this.hold.most
  }

  async add(subject: string): Promise<void> {
    this.count(subject, 1)
    await delay(this.hold.time)
    this.count(subject, -1)
  }

  private of(subject: string): number {
    return this.own.get(subject) ?? 0
  }

  private count(subject: string, change: number): void {
    const now = this.of(subject) + change
    this.all += change
    if (now > 0) this.own.set(subject, now)
    else this.own.delete(subject)
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
