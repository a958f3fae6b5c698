import { LRUCache } from 'lru-cache'
import { Allowance } from './allowance.js'

/**
 * Allowance of an address over its limit, per second and as a burst: lookups of ids that are not in memory, and new
 * connections. Accepting a connection and refusing its request costs about 1 ms.
 */
const ALLOWED = { lookups: 5, connections: 3 }
/** Addresses remembered; the least recently used goes first and is counted in Redis again. */
const MAX_ADDRESSES = 10_000

interface Over {
  /** When the next failure counts again, ms. */
  until: number
  lookups: Allowance
  connections: Allowance
}

/** Addresses known to be over their limit of failures: their failures are refused without Redis or database. */
export class OverLimit {
  private readonly addresses = new LRUCache<string, Over>({ max: MAX_ADDRESSES })

  /** @param now milliseconds, monotonic */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Notes that an address is over its limit for the given number of seconds. */
  note(address: string, seconds: number): void {
    const now = this.now()
    const full = (kind: keyof typeof ALLOWED) => new Allowance(ALLOWED[kind], ALLOWED[kind], now)
    const before = this.addresses.get(address) ?? { lookups: full('lookups'), connections: full('connections') }
    this.addresses.set(address, { ...before, until: now + seconds * 1_000 })
  }

  /** Whole seconds until an address is under its limit again; 0 when it already is. */
  secondsLeft(address: string): number {
    const over = this.addresses.get(address)
    return over ? Math.max(0, Math.ceil((over.until - this.now()) / 1_000)) : 0
  }

  /** Takes one unit of the address's allowance; false when none is left. Always true under the limit. */
  may(kind: keyof typeof ALLOWED, address: string): boolean {
    return this.secondsLeft(address) === 0 || this.addresses.get(address)![kind].take(this.now())
  }
}
