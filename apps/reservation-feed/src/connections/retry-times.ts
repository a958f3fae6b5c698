const FIRST = 1_000
const LONGEST = 60_000

/** Time at which failed work may be retried: after 1 s, doubling to 60 s. */
export class RetryTimes {
  private readonly times = new Map<string, { at: number; pause: number }>()

  /** @param now milliseconds, monotonic */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Keys of failed work that may not be retried yet. */
  paused(): string[] {
    const now = this.now()
    return [...this.times].filter(([, { at }]) => at > now).map(([key]) => key)
  }

  note(key: string): void {
    const before = this.times.get(key)
    const pause = before ? Math.min(before.pause * 2, LONGEST) : FIRST
    this.times.set(key, { at: this.now() + pause, pause })
  }

  forget(key: string): void {
    this.times.delete(key)
  }
}
