import { setTimeout as delay } from 'node:timers/promises'
import { BackgroundLoop } from '@connectivity/service-kit/work'

/** Polling interval in case a signal gets lost, ms. */
const LEASE_EVERY = 1_000
/** Shortest time between two polls, ms; deliveries that arrive in between are read together. */
const REST = 2
/** Leasing takes at most one part in this many of the time, because its cost grows with the number of callbacks. */
const LEASING_SHARE = 10
/** Longest rest after leasing, ms: leasing may have taken long only because the database was unreachable. */
const LONGEST_REST = 5_000
/** Added to timers, ms, so that they do not fire just before a due time on the database's clock. */
const SLACK = 10
/** Due times further away than this have no timer and may be served a second late, ms. */
const EXACT_WITHIN = 60_000

/**
 * Calls `poll` whenever the lanes of held callbacks may have work, one poll at a time. Calls `lease` beside it every second
 * and after a signal, but less often when leasing takes long; new leases are polled at once.
 */
export class DispatchLoop {
  private mayBeWork = false
  private leaseAt = 0
  private notBefore = 0
  private readonly loop: BackgroundLoop

  /**
   * Neither function may reject.
   * @param lease resolves with whether there are new leases
   */
  constructor(
    private readonly lease: () => Promise<boolean>,
    private readonly poll: () => Promise<void>,
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
  leaseNow(): void {
    this.leaseAt = performance.now()
    this.wake()
  }

  /** Like `leaseNow`, after the given time, ms. */
  leaseIn(time: number): void {
    if (time <= EXACT_WITHIN) setTimeout(() => this.leaseNow(), Math.max(time, 0) + SLACK).unref()
  }

  private async round(): Promise<number> {
    const untilLease = Math.max(this.leaseAt, this.notBefore) - performance.now()
    if (untilLease > 0 && !this.mayBeWork) return untilLease
    this.mayBeWork = false
    // Callbacks are nearly always held already, so that their lanes need not wait for the leasing.
    const [hasNew] = await Promise.all([untilLease <= 0 && this.timedLease(), this.poll()])
    if (hasNew) await this.poll()
    // A separate delay, because a wake would cut the loop's own rest short.
    await delay(REST)
    return 0
  }

  private async timedLease(): Promise<boolean> {
    const startedAt = performance.now()
    this.leaseAt = startedAt + LEASE_EVERY
    const hasNew = await this.lease()
    const took = performance.now() - startedAt
    this.notBefore = performance.now() + Math.min(took * (LEASING_SHARE - 1), LONGEST_REST)
    return hasNew
  }
}
