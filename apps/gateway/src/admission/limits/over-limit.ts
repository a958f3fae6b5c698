import { LRUCache } from 'lru-cache'
import { LocalBuckets } from './local-buckets.js'

/**
 * Allowance of an address over its limit, at once and again each second: lookups of ids that are not in memory, and new
 * connections. Accepting a connection and refusing its request costs about 1 ms.
 */
const ALLOWED = { lookups: { per_minute: 300, burst: 5 }, connections: { per_minute: 180, burst: 3 } }
/** Most addresses remembered; the least recently used is forgotten first and counted in Redis again. */
const MAX_ADDRESSES = 10_000

/** Addresses known to be over their limit of failures: their failures are refused without Redis or database. */
export class OverLimit {
  /** Time from which a failure of the address counts again, ms. */
  private readonly until = new LRUCache<string, number>({ max: MAX_ADDRESSES })
  private readonly allowances: LocalBuckets

  /** @param now milliseconds, monotonic */
  constructor(private readonly now: () => number = () => performance.now()) {
    this.allowances = new LocalBuckets(() => now() * 1_000)
  }

  /** Notes that an address is over its limit for the given number of seconds. */
  note(address: string, seconds: number): void {
    this.until.set(address, this.now() + seconds * 1_000)
  }

  /** Whole seconds until an address is under its limit again; 0 when it already is. */
  secondsLeft(address: string): number {
    return Math.max(0, Math.ceil(((this.until.get(address) ?? 0) - this.now()) / 1_000))
  }

  /** Takes one unit of the address's allowance; false when none is left. Always true under the limit. */
  may(kind: keyof typeof ALLOWED, address: string): boolean {
    return this.secondsLeft(address) === 0 || this.allowances.take(`${kind} ${address}`, ALLOWED[kind]).passes
  }
}
