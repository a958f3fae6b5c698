const FIRST = 1_000
const LONGEST = 60_000

/** Times at which work may begin again: failed work after 1 s, doubling to 60 s, other work when it has rested. */
export class RetryTimes {
  /** `pause` of failed work; 0 for work that rests. */
  private readonly times = new Map<string, { at: number; pause: number }>()

  /** @param now milliseconds, monotonic */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Keys of work that may not begin again yet. */
  paused(): string[] {
    const now = this.now()
    for (const [key, { at, pause }] of this.times) if (at <= now && pause === 0) this.times.delete(key)
    return [...this.times].filter(([, { at }]) => at > now).map(([key]) => key)
  }

  /** Milliseconds until the first of the paused may begin; Infinity if none is paused. */
  soonest(): number {
    const now = this.now()
    return Math.min(...[...this.times.values()].filter(({ at }) => at > now).map(({ at }) => at - now))
  }

  /** Notes a failure: the next try comes after a pause, twice as long as the last one. */
  note(key: string): void {
    const before = this.times.get(key)
    const pause = before && before.pause > 0 ? Math.min(before.pause * 2, LONGEST) : FIRST
    this.times.set(key, { at: this.now() + pause, pause })
  }

  /** Ends the pauses of work that has succeeded, and lets it rest. */
  rest(key: string, milliseconds: number): void {
    this.times.set(key, { at: this.now() + milliseconds, pause: 0 })
  }
}
