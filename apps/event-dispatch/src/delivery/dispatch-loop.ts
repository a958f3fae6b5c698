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
 * Calls `poll` whenever the lanes of held callbacks may have work, one poll at a time. Calls `lease` beside it, one at
 * a time, every second and after a signal, but less often when leasing takes long; new leases are polled at once.
 */
export class DispatchLoop {
  private mayBeWork = false
  private leaseAt = 0
  private notBefore = 0
  private leasing: Promise<void> | null = null
  private readonly loop: BackgroundLoop

  /**
   * @param lease resolves with whether there are new leases
   * @param failed gets the error of a poll or of leasing; both are tried again as usual
   */
  constructor(
    private readonly lease: () => Promise<boolean>,
    private readonly poll: () => Promise<void>,
    private readonly failed: (error: unknown) => void,
  ) {
    this.loop = new BackgroundLoop(
      () => this.round(),
      (error) => Promise.reject(error),
    )
  }

  start(): void {
    this.loop.start()
  }

  /** Resolves when the poll and the leasing in progress have ended. */
  async stop(): Promise<void> {
    await this.loop.stop()
    await this.leasing
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
    const untilLease = this.leasing ? LEASE_EVERY : Math.max(this.leaseAt, this.notBefore) - performance.now()
    if (untilLease > 0 && !this.mayBeWork) return untilLease
    this.mayBeWork = false
    // Most callbacks with work are held already: their lanes do not wait for the leasing.
    if (untilLease <= 0) this.leasing = this.timedLease()
    await this.poll().catch(this.failed)
    // A separate delay, because a wake would cut the loop's own rest short.
    await delay(REST)
    return 0
  }

  private async timedLease(): Promise<void> {
    const startedAt = performance.now()
    this.leaseAt = startedAt + LEASE_EVERY
    const hasNew = (await this.lease().catch(this.failed)) === true
    const took = performance.now() - startedAt
    this.notBefore = performance.now() + Math.min(took * (LEASING_SHARE - 1), LONGEST_REST)
    this.leasing = null
    this.mayBeWork ||= hasNew
    this.loop.wake()
  }
}
