/** Longest rest, ms: Node takes a longer one for 1 ms. */
const LONGEST_REST = 2 ** 31 - 1
const nothing = (): void => undefined
const rethrow = (error: unknown): never => {
  throw error
}

/**
 * Runs background work in rounds, each followed by the rest that it asks for. A wake cuts the rest short; after a
 * failed round, only a stop does.
 */
export class BackgroundLoop {
  private stopping = false
  private isWoken = false
  private running: Promise<void> = Promise.resolve()
  /** Functions that end the current rest; they do nothing while there is none to end. */
  private onWake = nothing
  private onStop = nothing

  /**
   * @param round resolves with how long to rest afterwards, ms
   * @param failed gets the error of a round and returns how long to rest, ms; an error that it throws ends the process
   */
  constructor(
    private readonly round: () => Promise<number>,
    private readonly failed: (error: unknown) => number | Promise<number>,
  ) {}

  /**
   * A loop that begins a round every `interval` ms, never two at once: a round that takes longer is followed by the
   * next at once.
   * @param failed gets the error of a round; without it, rounds must not fail
   */
  static every(
    interval: number,
    round: () => Promise<unknown>,
    failed: (error: unknown) => void = rethrow,
  ): BackgroundLoop {
    let begun = 0
    const rest = () => begun + interval - performance.now()
    return new BackgroundLoop(
      async () => {
        begun = performance.now()
        await round()
        return rest()
      },
      (error) => {
        failed(error)
        return rest()
      },
    )
  }

  get isStopping(): boolean {
    return this.stopping
  }

  /** @param after rest before the first round, ms */
  start(after = 0): void {
    if (!this.stopping) this.running = this.run(after)
  }

  /** Ends the current rest, or skips the one after the current round, because there may be work now. */
  wake(): void {
    this.isWoken = true
    this.onWake()
  }

  /** Stops the loop; resolves when the current round has ended. */
  async stop(): Promise<void> {
    this.stopping = true
    this.onStop()
    await this.running
  }

  private async run(after: number): Promise<void> {
    if (after > 0) await this.rest(after, true)
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
      const timer = setTimeout(end, Math.min(milliseconds, LONGEST_REST))
      this.onStop = end
      if (mayWake) this.onWake = end
    })
  }
}
