import { Nap } from './nap.js'

/**
 * Work of a process that goes on by itself: one round after the other, each followed by the rest that it asks for, which
 * a nudge cuts short. What a round throws is told and followed by a rest as well.
 */
export class Rounds {
  private stopping = false
  private isNudged = false
  private readonly nap = new Nap()
  private running: Promise<void> = Promise.resolve()

  /**
   * @param round resolves with how long to rest afterwards, ms
   * @param troubled hears what a round threw, and says how long to rest then, ms
   */
  constructor(
    private readonly round: () => Promise<number>,
    private readonly troubled: (error: unknown) => number | Promise<number>,
  ) {}

  get isStopping(): boolean {
    return this.stopping
  }

  start(): void {
    this.running = this.run()
  }

  /** There may be something to do now: the present rest ends, or the one after the present round is left out. */
  nudge(): void {
    this.isNudged = true
    this.nap.wake()
  }

  /** Resolves when the round under way has ended. */
  async stop(): Promise<void> {
    this.stopping = true
    this.nap.wake()
    await this.running
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      this.isNudged = false
      await this.rest(await this.round().catch(this.troubled))
    }
  }

  private rest(milliseconds: number): Promise<void> {
    if (this.stopping || this.isNudged || milliseconds <= 0) return Promise.resolve()
    return this.nap.sleep(milliseconds)
  }
}
