import { setTimeout as delay } from 'node:timers/promises'
import { BackgroundLoop } from '@connectivity/service-kit/background-loop'

/** Backstop for a signal that got lost, ms. */
const LOOK_EVERY = 1_000
/** Shortest time between two turns: what comes in meanwhile is read together, ms. */
const REST = 2
/** Looking around costs the database more the more callbacks there are: one part of so many of the time. */
const LOOKING_SHARE = 10
/** Longest rest after a look, ms: one that took long may have waited for a database that was away. */
const LONGEST_REST = 5_000
/** What is due by the clock of the database is not missed by a moment, ms. */
const SLACK = 10
/** A due time further away than this may be met a second late, ms. */
const EXACT_WITHIN = 60_000

/**
 * Calls `turn` whenever there may be something to do for what is known, one turn after the other, and before it `look`
 * every second and when something has happened outside, though less often when looking takes long.
 */
export class DispatchLoop {
  private mayBeWork = false
  private lookAt = 0
  private notBefore = 0
  private readonly loop: BackgroundLoop

  /** Neither may reject. */
  constructor(
    private readonly look: () => Promise<void>,
    private readonly turn: () => Promise<void>,
  ) {
    this.loop = new BackgroundLoop(
      () => this.round(),
      (error) => Promise.reject(error),
    )
  }

  start(): void {
    this.loop.start()
  }

  stop(): Promise<void> {
    return this.loop.stop()
  }

  /** There may be more to do for what is known already. */
  wake(): void {
    this.mayBeWork = true
    this.loop.wake()
  }

  /** Something may have become due, anywhere. */
  lookAround(): void {
    this.lookAt = performance.now()
    this.wake()
  }

  /** As `lookAround`, some time from now, ms. */
  lookAroundIn(time: number): void {
    if (time <= EXACT_WITHIN) setTimeout(() => this.lookAround(), Math.max(time, 0) + SLACK).unref()
  }

  private async round(): Promise<number> {
    const untilLook = Math.max(this.lookAt, this.notBefore) - performance.now()
    if (untilLook > 0 && !this.mayBeWork) return untilLook
    this.mayBeWork = false
    if (untilLook <= 0) await this.timedLook()
    await this.turn()
    // Not the loop's own rest, which a wake would cut short.
    await delay(REST)
    return 0
  }

  private async timedLook(): Promise<void> {
    const startedAt = performance.now()
    this.lookAt = startedAt + LOOK_EVERY
    await this.look()
    const took = performance.now() - startedAt
    this.notBefore = performance.now() + Math.min(took * (LOOKING_SHARE - 1), LONGEST_REST)
  }
}
