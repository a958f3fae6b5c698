import { Injectable } from '@nestjs/common'

/** How long an address is known after its last valid credential, ms; partners poll every minute or so. */
const KNOWN_FOR = 10 * 60_000
/** How often the memory of an address is refreshed, ms. */
const REFRESH_EVERY = 60_000
const MAX_ADDRESSES = 10_000

/** Addresses from which a valid credential has come lately: their requests do not share budgets with strangers'. */
@Injectable()
export class KnownAddresses {
  private readonly lastSeen = new Map<string, number>()

  /** Notes that a valid credential has come from an address. */
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
