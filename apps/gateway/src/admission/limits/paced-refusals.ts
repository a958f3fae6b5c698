import { setTimeout as delay } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { Allowance } from './allowance.js'

/** Refusals of one subject that are answered without delay: at once, and per second. */
const UNDELAYED = { burst: 50, rate: 10 }
/** Time that every further refusal is held, ms. */
const HOLD = 500
/** Refusals of one subject that are held at the same time. */
const MOST_HELD = 50
/** Subjects remembered; the least recently refused goes first. */
const MAX_SUBJECTS = 10_000

interface Subject {
  undelayed: Allowance
  held: number
}

/**
 * Slows down clients that continue over their limit. A refusal is cheap, but a client that sends the next request as soon
 * as it has the answer sends thousands a second.
 */
export class PacedRefusals {
  private readonly subjects = new LRUCache<string, Subject>({ max: MAX_SUBJECTS })

  /**
   * Resolves when the refusal may be answered.
   * @param key names what is counted together
   * @returns false when too many are held already: answer at once and close the connection
   */
  async pace(key: string): Promise<boolean> {
    const subject = this.subjectOf(key)
    if (subject.undelayed.take(performance.now())) return true
    if (subject.held >= MOST_HELD) return false
    subject.held += 1
    await delay(HOLD)
    subject.held -= 1
    return true
  }

  private subjectOf(key: string): Subject {
    const known = this.subjects.get(key)
    if (known) return known
    const subject = { undelayed: new Allowance(UNDELAYED.rate, UNDELAYED.burst, performance.now()), held: 0 }
    this.subjects.set(key, subject)
    return subject
  }
}
