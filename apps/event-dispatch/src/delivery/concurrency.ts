/** Attempts in flight that every callback may have, even one that fails. */
export const LEAST_CONCURRENCY = 2
/** Most attempts in flight per callback. */
const MOST_CONCURRENCY = 16

/**
 * Limits the attempts in flight at one callback. The limit doubles after each full round of successes until a failure,
 * halves at a failure, and then grows by one per round, between 2 and 16 (like TCP's congestion window).
 */
export class Concurrency {
  private limit = LEAST_CONCURRENCY
  /** Limit at which doubling ends. */
  private threshold = MOST_CONCURRENCY
  private successes = 0
  /** Attempts that were in flight when the limit was halved; their failures do not halve it again. */
  private echoes = 0

  get current(): number {
    return this.limit
  }

  /** @param inFlight attempts still in flight besides the one that ended */
  record(ok: boolean, inFlight: number): void {
    if (ok) return this.succeeded()
    this.successes = 0
    if (this.echoes > 0) {
      this.echoes -= 1
      return
    }
    this.echoes = inFlight
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
