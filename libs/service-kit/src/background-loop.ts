const nothing = (): void => undefined

/**
 * Work of a process that goes on by itself: one round after the other, each followed by the rest that it asks for. A wake
 * cuts the rest short; after a round that failed, only a stop does.
 */
export class BackgroundLoop {
  private stopping = false
  private isWoken = false
  private running: Promise<void> = Promise.resolve()
  /** End the present rest, if there is one that they may end. */
  private onWake = nothing
  private onStop = nothing

  /**
   * @param round resolves with how long to rest afterwards, ms
   * @param failed gets what a round threw, and returns how long to rest then, ms; what it throws ends the process
   */
  constructor(
    private readonly round: () => Promise<number>,
    private readonly failed: (error: unknown) => number | Promise<number>,
  ) {}

  get isStopping(): boolean {
    return this.stopping
  }

  start(): void {
    if (!this.stopping) this.running = this.run()
  }

  /** There may be something to do now: ends the present rest, or leaves out the one after the present round. */
  wake(): void {
    this.isWoken = true
    this.onWake()
  }

  /** Resolves when the round under way has ended. */
  async stop(): Promise<void> {
    this.stopping = true
    this.onStop()
    await this.running
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      this.isWoken = false
      try {
        const milliseconds = await this.round()
        if (!this.isWoken) await this.rest(milliseconds, true)
      } catch (error) {
        await this.rest(await this.failed(error), false)
      }
    }
  }

  private rest(milliseconds: number, mayWake: boolean): Promise<void> {
    if (this.stopping || milliseconds <= 0) return Promise.resolve()
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        this.onWake = this.onStop = nothing
        resolve()
      }
      const timer = setTimeout(end, milliseconds)
      this.onStop = end
      if (mayWake) this.onWake = end
    })
  }
}
