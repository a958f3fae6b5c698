import { Injectable } from '@nestjs/common'
import { LRUCache } from 'lru-cache'

/** Time for which an address stays known after its last valid credential, ms; partners poll about every minute. */
const KNOWN_FOR = 10 * 60_000
/** Shortest interval between refreshes of one address, ms. */
const REFRESH_EVERY = 60_000
const MAX_ADDRESSES = 10_000

/** Addresses that recently sent a valid credential: their requests do not share budgets with strangers'. */
@Injectable()
export class KnownAddresses {
  private readonly lastSeen = new LRUCache<string, number>({ max: MAX_ADDRESSES })

  /** Notes that an address has sent a valid credential. */
  note(address: string): void {
    const now = performance.now()
    if (now - (this.lastSeen.get(address) ?? -Infinity) < REFRESH_EVERY) return
    this.lastSeen.set(address, now)
  }

  /** Whether a request of the address has been authenticated lately. */
  has(address: string): boolean {
    return performance.now() - (this.lastSeen.get(address) ?? -Infinity) < KNOWN_FOR
  }
}
