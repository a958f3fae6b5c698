import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { LRUCache } from 'lru-cache'

/** Time for one try of the resolver, ms; a second one follows, both within the time to connect. */
const TRY_TIMEOUT = 1_000
const TRIES = 2
/** Bounds for keeping an answer by its TTL, ms, so that attempts of one burst share it. */
const MIN_AGE = 1_000
const MAX_AGE = 5_000
/** Longest wait for the resolver, ms. */
const LIMIT = 3_000
/** Most answers kept at once. */
const MOST = 2_000
/** Most addresses of one name: each attempt judges all of them, about 2 µs each, and a DNS answer can hold 4,000. */
const MOST_ADDRESSES = 64
const LOOPBACK = ['127.0.0.1', '::1']

/** An address, and how long it may be kept, seconds. */
export interface DnsAnswer {
  address: string
  ttl: number
}

/** Returns all addresses of a name, empty if it has none. @throws Error if the resolver gave no answer */
export type Resolve = (name: string) => Promise<DnsAnswer[]>

/** The name does not exist, or has no address of this family. */
const NOTHING = new Set(['ENOTFOUND', 'ENODATA'])

/**
 * Queries the DNS without getaddrinfo, whose four threads could be blocked for all callbacks by a few names that never
 * answer. The hosts file is not read: callbacks are on other machines.
 */
export function dnsResolver(): Resolve {
  const resolver = new Resolver({ timeout: TRY_TIMEOUT, tries: TRIES })
  const orNothing = (error: NodeJS.ErrnoException): DnsAnswer[] => {
    if (NOTHING.has(error.code ?? '')) return []
    throw error
  }
  return async (name) => {
    const families = await Promise.allSettled([
      resolver.resolve4(name, { ttl: true }).catch(orNothing),
      resolver.resolve6(name, { ttl: true }).catch(orNothing),
    ])
    const answers = families.flatMap((family) => (family.status === 'fulfilled' ? family.value : []))
    const failed = families.find((family) => family.status === 'rejected')
    // Servers without IPv6 support fail its queries; the other family's answers are valid.
    if (failed && answers.length === 0) throw failed.reason
    return answers
  }
}

interface Kept {
  addresses: Promise<string[]>
  until: number
}

/** Addresses of callbacks' hosts, each resolved once at a time and kept for a burst. */
export class HostAddresses {
  private readonly kept = new LRUCache<string, Kept>({ max: MOST })

  constructor(private readonly resolve: Resolve) {}

  /**
   * @param host a name without its last dot, or an address
   * @throws Error when the resolver gave no answer
   */
  of(host: string): Promise<string[]> {
    if (isIP(host) !== 0) return Promise.resolve([host])
    // RFC 6761 §6.3: never resolved, always this machine.
    if (/(^|\.)localhost$/i.test(host)) return Promise.resolve(LOOPBACK)
    const known = this.kept.get(host)
    return known && known.until > performance.now() ? known.addresses : this.ask(host)
  }

  private ask(host: string): Promise<string[]> {
    const addresses = this.answersOf(host).then((answers) => {
      kept.until = performance.now() + ageOf(answers)
      return answers.map(({ address }) => address)
    })
    const kept: Kept = { addresses, until: Infinity }
    this.kept.set(host, kept)
    addresses.catch(() => this.forget(host, kept))
    return addresses
  }

  private async answersOf(host: string): Promise<DnsAnswer[]> {
    const answers = await within(LIMIT, this.resolve(host))
    if (answers.length > MOST_ADDRESSES) throw new Error(`the name has more than ${MOST_ADDRESSES} addresses`)
    return answers
  }

  private forget(host: string, kept: Kept): void {
    if (this.kept.get(host) === kept) this.kept.delete(host)
  }
}

/** How long the answers may be kept, ms. */
const ageOf = (answers: readonly DnsAnswer[]): number =>
  Math.max(MIN_AGE, Math.min(...answers.map(({ ttl }) => ttl * 1_000), MAX_AGE))

function within<T>(limit: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('the resolver did not answer in time')), limit)
  return Promise.race([work, promise]).finally(() => clearTimeout(timer))
}
