import { setTimeout as delay } from 'node:timers/promises'
import { BackgroundLoop } from '@connectivity/service-kit/background-loop'

/** Polling interval in case a signal gets lost, ms. */
const LOOK_EVERY = 1_000
/** Shortest time between two turns, ms; deliveries that arrive in between are read together. */
const REST = 2
/** Looking takes at most one part in this many of the time, because its cost grows with the number of callbacks. */
const LOOKING_SHARE = 10
/** Longest rest after a look, ms: a long look may only have waited for an unreachable database. */
const LONGEST_REST = 5_000
/** Added to timers, ms, so that they do not fire just before a due time on the database's clock. */
const SLACK = 10
/** Due times further away than this get no timer and may be met a second late, ms. */
const EXACT_WITHIN = 60_000

/**
 * Calls `turn` whenever the known lanes may have work, one turn at a time. Calls `look` before it every second and
 * after a signal, but less often when looking takes long.
 */
export class DispatchLoop {
  private mayBeWork = false
  private lookAt = 0
  private notBefore = 0
  private readonly loop: BackgroundLoop

  /** Neither function may reject. */
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

  /** The known lanes may have more work. */
  wake(): void {
    this.mayBeWork = true
    this.loop.wake()
  }

  /** Deliveries of any callback may have become due. */
  lookAround(): void {
    this.lookAt = performance.now()
    this.wake()
  }

  /** As `lookAround`, after the given time, ms. */
  lookAroundIn(time: number): void {
    if (time <= EXACT_WITHIN) setTimeout(() => this.lookAround(), Math.max(time, 0) + SLACK).unref()
  }

  private async round(): Promise<number> {
    const untilLook = Math.max(this.lookAt, this.notBefore) - performance.now()
    if (untilLook > 0 && !this.mayBeWork) return untilLook
    this.mayBeWork = false
    if (untilLook <= 0) await this.timedLook()
    await this.turn()
    // A separate delay, because a wake would cut the loop's own rest short.
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
