import { setTimeout as delay } from 'node:timers/promises'

/** Backstop for a signal that got lost, ms. */
const LOOK_EVERY = 1_000
/** Shortest time between two turns: what comes in meanwhile is read together, ms. */
const REST = 2
/** Looking around costs the database more the more callbacks there are: at most this share of the time. */
const LOOKING_SHARE = 10
/** What is due by the clock of the database is not missed by a moment, ms. */
const SLACK = 10
/** A due time further away than this may be met a second late, ms. */
const EXACT_WITHIN = 60_000

/**
 * Calls `turn` whenever there may be something to do, one turn after the other: soon after a beat; with `looksAround` also
 * every second and soon after something from outside, though less often when that takes long.
 */
export class Pulse {
  private isStopped = false
  private mayBeWork = false
  private lookAt = 0
  private notBefore = 0
  private wake: () => void = () => undefined
  private running: Promise<void> = Promise.resolve()

  constructor(private readonly turn: (looksAround: boolean) => Promise<void>) {}

  start(): void {
    if (!this.isStopped) this.running = this.run()
  }

  async stop(): Promise<void> {
    this.isStopped = true
    this.wake()
    await this.running
  }

  /** There may be more to do for what is known already. */
  beat(): void {
    this.mayBeWork = true
    this.wake()
  }

  /** Something may have become due, anywhere. */
  lookAround(): void {
    this.lookAt = performance.now()
    this.wake()
  }

  /** As `lookAround`, some time from now, ms. */
  lookAroundIn(time: number): void {
    if (time <= EXACT_WITHIN) setTimeout(() => this.lookAround(), time + SLACK).unref()
  }

  private async run(): Promise<void> {
    while (!this.isStopped) {
      const now = performance.now()
      const looksAround = now >= Math.max(this.lookAt, this.notBefore)
      if (!looksAround && !this.mayBeWork) {
        await this.sleep(Math.max(this.lookAt, this.notBefore) - now)
        continue
      }
      this.mayBeWork = false
      if (looksAround) this.lookAt = now + LOOK_EVERY
      await this.turn(looksAround)
      if (looksAround) this.notBefore = performance.now() + (performance.now() - now) * LOOKING_SHARE
      await delay(REST)
    }
  }

  private sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds)
      this.wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
