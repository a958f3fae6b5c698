/** Most uses of an identity: the gateway sends a request once more when its connection breaks. */
const MAX_USES = 2
/** Nonces in one generation; two generations of 20,000 take about 4 MB. */
const MAX_NONCES = 20_000

/**
 * Remembers uses of nonces for their lifetime if fewer than 20,000 come in that time (650 a second); above that the
 * oldest are forgotten early. Each process remembers only its own: a captured identity may be used at another replica,
 * for exactly the same request.
 */
export class UsedNonces {
  private young = new Map<string, number>()
  private old = new Map<string, number>()
  private turnsAt = 0

  /** @param lifetime seconds for which a nonce is valid */
  constructor(private readonly lifetime: number) {}

  /**
   * Notes one use.
   * @param now Unix seconds
   * @returns whether the nonce has already been used too often
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
