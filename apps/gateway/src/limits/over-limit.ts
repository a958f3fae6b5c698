/** Lookups a second, and at once, that an address over its limit may still cause for what is not in memory. */
const LOOKUPS_PER_SECOND = 5
/** Addresses remembered; the oldest goes first and is counted in Redis again. */
const MAX_ADDRESSES = 10_000

interface Over {
  /** When the next failure counts again, ms. */
  until: number
  /** Lookups left, and when that was worked out, ms. */
  lookups: number
  at: number
}

/** Addresses known to be over their limit of failures: what they get wrong is refused without Redis or database. */
export class OverLimit {
  private readonly addresses = new Map<string, Over>()

  /** @param now milliseconds, monotonic */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Notes that an address is over its limit for so many seconds. */
  note(address: string, seconds: number): void {
    const now = this.now()
    const { lookups, at } = this.addresses.get(address) ?? { lookups: LOOKUPS_PER_SECOND, at: now }
    this.addresses.delete(address)
    this.addresses.set(address, { until: now + seconds * 1_000, lookups, at })
    if (this.addresses.size > MAX_ADDRESSES) this.addresses.delete(this.addresses.keys().next().value!)
  }

  /** Whole seconds until an address is under its limit again; 0 when it is. */
  secondsLeft(address: string): number {
    const over = this.addresses.get(address)
    return over ? Math.max(0, Math.ceil((over.until - this.now()) / 1_000)) : 0
  }

  /** Whether an address may cause a lookup now, which it has caused then; under its limit it always may. */
  mayLookUp(address: string): boolean {
    if (this.secondsLeft(address) === 0) return true
    const over = this.addresses.get(address)!
    const now = this.now()
    over.lookups = Math.min(LOOKUPS_PER_SECOND, over.lookups + ((now - over.at) * LOOKUPS_PER_SECOND) / 1_000)
    over.at = now
    if (over.lookups < 1) return false
    over.lookups -= 1
    return true
  }
}
