import { setTimeout as delay } from 'node:timers/promises'
import { Nap } from '@connectivity/service-kit/nap'

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
export class Pulse {
  private isStopped = false
  private mayBeWork = false
  private lookAt = 0
  private notBefore = 0
  private readonly nap = new Nap()
  private running: Promise<void> = Promise.resolve()

  /** Neither may reject. */
  constructor(
    private readonly look: () => Promise<void>,
    private readonly turn: () => Promise<void>,
  ) {}

  start(): void {
    if (!this.isStopped) this.running = this.run()
  }

  async stop(): Promise<void> {
    this.isStopped = true
    this.nap.wake()
    await this.running
  }

  /** There may be more to do for what is known already. */
  beat(): void {
    this.mayBeWork = true
    this.nap.wake()
  }

  /** Something may have become due, anywhere. */
  lookAround(): void {
    this.lookAt = performance.now()
    this.beat()
  }

  /** As `lookAround`, some time from now, ms. */
  lookAroundIn(time: number): void {
    if (time <= EXACT_WITHIN) setTimeout(() => this.lookAround(), Math.max(time, 0) + SLACK).unref()
  }

  private async run(): Promise<void> {
    while (!this.isStopped) {
      const untilLook = Math.max(this.lookAt, this.notBefore) - performance.now()
      if (untilLook > 0 && !this.mayBeWork) {
        await this.nap.sleep(untilLook)
        continue
      }
      this.mayBeWork = false
      if (untilLook <= 0) await this.timedLook()
      await this.turn()
      await delay(REST)
    }
  }

  private async timedLook(): Promise<void> {
    const startedAt = performance.now()
    this.lookAt = startedAt + LOOK_EVERY
    await this.look()
    const took = performance.now() - startedAt
    this.notBefore = performance.now() + Math.min(took * (LOOKING_SHARE - 1), LONGEST_REST)
  }
}
