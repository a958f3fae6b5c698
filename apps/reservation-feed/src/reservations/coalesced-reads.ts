/** Reads many keys with one statement; unknown keys are absent. */
type ReadMany<T> = (keys: readonly string[]) => Promise<ReadonlyMap<string, T>>

interface Asked<T> {
  key: string
  resolve: (value: T | null) => void
  reject: (reason: unknown) => void
}

/** Time after which a read no longer delays others, ms: its connection may be lost silently. */
const PATIENCE = 50
const MOST_AT_ONCE = 3

/**
 * Combines the requests that arrive during a read and answers them with the next read. A read always begins after its
 * requests, so no caller gets an older answer than a read of its own would give. A single request does not wait.
 */
export class CoalescedReads<T> {
  private waiting: Asked<T>[] = []
  private running = 0
  private begunAt = -Infinity

  /** @param now milliseconds, monotonic */
  constructor(
    private readonly readMany: ReadMany<T>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @returns null for an unknown key */
  read(key: string): Promise<T | null> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ key, resolve, reject })
      if (this.mayBegin()) void this.run()
    })
  }

  private mayBegin(): boolean {
    return this.running === 0 || (this.running < MOST_AT_ONCE && this.now() - this.begunAt > PATIENCE)
  }

  private async run(): Promise<void> {
    this.running += 1
    while (this.waiting.length > 0) {
      const asked = this.waiting
      this.waiting = []
      this.begunAt = this.now()
      try {
        const found = await this.readMany([...new Set(asked.map(({ key }) => key))])
        for (const { key, resolve } of asked) resolve(found.get(key) ?? null)
      } catch (error) {
        for (const { reject } of asked) reject(error)
      }
    }
    this.running -= 1
  }
}
