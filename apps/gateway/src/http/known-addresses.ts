import { Injectable } from '@nestjs/common'

/** Time for which an address stays known after its last valid credential, ms; partners poll about every minute. */
const KNOWN_FOR = 10 * 60_000
/** Shortest interval between refreshes of one address, ms. */
const REFRESH_EVERY = 60_000
const MAX_ADDRESSES = 10_000

/** Addresses that recently sent a valid credential: their requests do not share budgets with strangers'. */
@Injectable()
export class KnownAddresses {
  private readonly lastSeen = new Map<string, number>()

  /** Notes that an address has sent a valid credential. */
  note(address: string): void {
    const now = performance.now()
    if (now - (this.lastSeen.get(address) ?? -Infinity) < REFRESH_EVERY) return
    this.lastSeen.delete(address)
    this.lastSeen.set(address, now)
    if (this.lastSeen.size > MAX_ADDRESSES) this.lastSeen.delete(this.lastSeen.keys().next().value!)
  }

  has(address: string): boolean {
    return performance.now() - (this.lastSeen.get(address) ?? -Infinity) < KNOWN_FOR
  }
}
