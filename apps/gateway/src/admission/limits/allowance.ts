/** A token bucket. */
export class Allowance {
  private left: number
  private at: number

  /**
   * @param rate per second
   * @param burst at once
   * @param now ms, monotonic
   */
  constructor(
    private readonly rate: number,
    private readonly burst: number,
    now: number,
  ) {
    this.left = burst
    this.at = now
  }

  /** Takes one; false when none is left. */
  take(now: number): boolean {
    this.left = Math.min(this.burst, this.left + ((now - this.at) * this.rate) / 1_000)
    this.at = now
    if (this.left < 1) return false
    this.left -= 1
    return true
  }
}
