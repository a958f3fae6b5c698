/** Attempts under way that every callback may have, whatever its failures. */
export const LEAST_CONCURRENCY = 2
/** Attempts under way that no callback exceeds. */
const MOST_CONCURRENCY = 16

/**
 * How many attempts may be under way at one callback: it doubles for each full round of successes until something
 * fails, halves at a failure, and then grows by one a round, between 2 and 16 (as TCP finds its window).
 */
export class Concurrency {
  private limit = LEAST_CONCURRENCY
  /** Where doubling ends. */
  private threshold = MOST_CONCURRENCY
  private successes = 0
  /** Failures of attempts that were under way when the limit fell say nothing new. */
  private echoes = 0

  get current(): number {
    return this.limit
  }

  /** @param underWay attempts still under way beside the one that ended */
  record(ok: boolean, underWay: number): void {
    if (ok) return this.succeeded()
    this.successes = 0
    if (this.echoes > 0) {
      this.echoes -= 1
      return
    }
    this.echoes = underWay
    this.threshold = Math.max(Math.floor(this.limit / 2), LEAST_CONCURRENCY)
    this.limit = this.threshold
  }

  private succeeded(): void {
    this.echoes = Math.max(this.echoes - 1, 0)
    this.successes += 1
    if (this.successes < this.limit) return
    this.successes = 0
    const next = this.limit < this.threshold ? this.limit * 2 : this.limit + 1
    this.limit = Math.min(next, MOST_CONCURRENCY)
  }
}
