import { Injectable } from '@nestjs/common'
import { Counts } from '@connectivity/service-kit/work'
import { KnownAddresses } from './known-addresses.service.js'

const MIB = 1024 * 1024

/** Bytes of bodies that one credential may have in memory at once: sixteen of the longest. */
export const BYTES_PER_CREDENTIAL = 16 * MIB
/** The same for one address, from which several credentials may call. */
export const BYTES_PER_ADDRESS = 32 * MIB
/** The same for an address that has not recently sent a valid credential: two of the longest. */
export const BYTES_PER_UNKNOWN_ADDRESS = 2 * MIB
/** Bytes of bodies in this process from known addresses. */
export const BYTES_OF_PARTNERS = 64 * MIB
/** The same from all other addresses, which cannot crowd partners out. */
export const BYTES_OF_UNKNOWN_ADDRESSES = 16 * MIB

/** The sender of a body. */
export interface Sender {
  address: string
  /** The credential's id as the request claims it. */
  credential: string
  /** Longest body that is kept, bytes; a longer one is only hashed. */
  mostKept: number
}

/** Longest body that is kept under an invented key id: as long as the examination of its signature needs it, bytes. */
export const MOST_KEPT_OF_STRANGERS = 64 * 1024

/** The share of the budgets that one body holds. */
export interface BodyLease {
  /** The part of the process's budget that it uses: that of known addresses, or that of all others. */
  readonly share: 'partners' | 'strangers'
  /** @returns false when the bytes exceed a budget; nothing is counted then */
  take: (bytes: number) => boolean
  /** Gives everything back; further calls do nothing. */
  end: () => void
}

/**
 * Bounds the memory that bodies of requests take. A body under an invented key id counts against its address and key id
 * like any other, so that a refusal does not tell which ids exist. It does not count against the process's share once
 * it is too long to be kept.
 */
@Injectable()
export class BodyBudgets {
  private readonly addresses = new Counts()
  private readonly credentials = new Counts()
  private readonly shares = new Counts()

  constructor(private readonly known: KnownAddresses) {}

  /** Bytes of bodies in memory. */
  get held(): number {
    return this.shares.all
  }

  /** Starts counting the bytes of one body. The caller ends the lease when the body leaves memory. */
  open({ address, credential, mostKept }: Sender): BodyLease {
    const share = this.known.has(address) ? 'partners' : 'strangers'
    // Strangers who know a key id use up none of its owner's budget.
    const name = `${share} ${credential}`
    let [held, kept] = [0, 0]
    const count = (bytes: number) => {
      held += bytes
      this.addresses.add(address, bytes)
      this.credentials.add(name, bytes)
      const before = kept
      kept = held <= mostKept ? held : 0
      this.shares.add(share, kept - before)
    }
    const fits = (bytes: number) =>
      this.addresses.of(address) + bytes <= (share === 'partners' ? BYTES_PER_ADDRESS : BYTES_PER_UNKNOWN_ADDRESS) &&
      this.credentials.of(name) + bytes <= BYTES_PER_CREDENTIAL &&
      this.shares.of(share) + bytes <= (share === 'partners' ? BYTES_OF_PARTNERS : BYTES_OF_UNKNOWN_ADDRESSES)
    return {
      share,
      take: (bytes) => {
        if (!fits(bytes)) return false
        count(bytes)
        return true
      },
      end: () => count(-held),
    }
  }
}
