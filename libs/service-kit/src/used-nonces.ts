/** How often an identity may be used: the gateway sends a request once more when its connection breaks. */
const MAX_USES = 2
/** Nonces in one generation; two generations of 20,000 take about 4 MB. */
const MAX_NONCES = 20_000

/**
 * Uses of nonces, remembered for their lifetime as long as fewer than 20,000 come in that time (650 a second); above it
 * the oldest are forgotten early. Each process remembers its own: a captured identity may be used at another replica,
 * where it asks for exactly the same again.
 */
export class UsedNonces {
  private young = new Map<string, number>()
  private old = new Map<string, number>()
  private turnsAt = 0

  /** @param lifetime seconds for which a nonce can be used */
  constructor(private readonly lifetime: number) {}

  /**
   * Notes one use.
   * @param now Unix seconds
   * @returns whether the nonce was used too often already
   */
  isSpent(nonce: string, now: number): boolean {
    if (now >= this.turnsAt || this.young.size >= MAX_NONCES) this.turn(now)
    const uses = (this.young.get(nonce) ?? this.old.get(nonce) ?? 0) + 1
    this.young.set(nonce, uses)
    return uses > MAX_USES
  }

  private turn(now: number): void {
    this.old = now >= this.turnsAt + this.lifetime ? new Map() : this.young
    this.young = new Map()
    this.turnsAt = now + this.lifetime
  }
}
