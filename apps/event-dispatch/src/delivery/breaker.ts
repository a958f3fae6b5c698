import type { Verdict } from './verdict.js'

/** The part of a breaker's state that outlives its process. */
export interface BreakerMemory {
  failuresInRow: number
  /** Number of times it has opened since it was last closed. */
  opened: number
  /** ms on the caller's clock; null while it is closed. */
  openUntil: number | null
}

const IN_A_ROW = 8
const SECOND = 1_000
const WINDOW_SECONDS = 60
const LEAST_IN_WINDOW = 10
const FAILED_SHARE = 0.7
const FIRST_PAUSE = 30 * SECOND
const LONGEST_PAUSE = 15 * 60 * SECOND
/** Weight of a timeout: a receiver that hangs costs more than one that refuses. */
const TIMEOUT_WEIGHT = 2

/**
 * Pauses a callback that keeps failing, so that its deliveries do not use up their attempts. Opens after 8 failures in
 * a row, or when 70 % of at least 10 attempts within a minute failed. Stays open for 30 s, then twice as long each
 * time, up to 15 min. Afterwards one attempt at a time decides. Time, in ms, comes from the caller.
 */
export class Breaker {
  /** The last minute, one slot for each second with an attempt. */
  private slots: { second: number; attempts: number; failed: number }[] = []

  constructor(private memory: BreakerMemory = { failuresInRow: 0, opened: 0, openUntil: null }) {}

  get remembered(): Readonly<BreakerMemory> {
    return this.memory
  }

  /** Number of attempts that may be in flight at `now`. */
  allowance(now: number): number {
    if (this.memory.openUntil === null) return Infinity
    return this.isOpen(now) ? 0 : 1
  }

  /** Counts an attempt that has ended. A timeout weighs more than another failure. @param now ms, monotonic */
  record({ kind, timedOut }: Pick<Verdict, 'kind' | 'timedOut'>, now: number): void {
    if (kind === 'delivered') return this.succeeded(now)
    const weight = timedOut ? TIMEOUT_WEIGHT : 1
    this.memory = { ...this.memory, failuresInRow: this.memory.failuresInRow + weight }
    this.note(now, weight, weight)
    const isTrial = this.memory.openUntil !== null && !this.isOpen(now)
    const wasClosed = this.memory.openUntil === null
    if (isTrial || (wasClosed && this.isTooMuch())) this.open(now)
  }

  private isOpen(now: number): boolean {
    return this.memory.openUntil !== null && now < this.memory.openUntil
  }

  /** A success while the breaker is open comes from an attempt begun before; it does not close the breaker. */
  private succeeded(now: number): void {
    this.note(now, 1, 0)
    if (!this.isOpen(now) && (this.memory.openUntil !== null || this.memory.failuresInRow > 0))
      this.memory = { failuresInRow: 0, opened: 0, openUntil: null }
  }

  private note(now: number, attempts: number, failed: number): void {
    const second = Math.floor(now / SECOND)
    while (this.slots.length > 0 && this.slots[0]!.second <= second - WINDOW_SECONDS) this.slots.shift()
    const last = this.slots.at(-1)
    if (last?.second !== second) return void this.slots.push({ second, attempts, failed })
    last.attempts += attempts
    last.failed += failed
  }

  private isTooMuch(): boolean {
    if (this.memory.failuresInRow >= IN_A_ROW) return true
    const attempts = this.slots.reduce((sum, slot) => sum + slot.attempts, 0)
    const failed = this.slots.reduce((sum, slot) => sum + slot.failed, 0)
    return attempts >= LEAST_IN_WINDOW && failed >= attempts * FAILED_SHARE
  }

  private open(now: number): void {
    const pause = Math.min(FIRST_PAUSE * 2 ** this.memory.opened, LONGEST_PAUSE)
    this.memory = { ...this.memory, opened: this.memory.opened + 1, openUntil: now + pause }
    this.slots = []
  }
}
