import { setTimeout as delay } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'

/** Longest time that an entry may be stale if every invalidation is lost, ms. */
export const TIME_TO_LIVE = 30_000
/** The same for absent rows, ms. */
const ABSENT_TIME_TO_LIVE = 5_000
const MAX_ENTRIES = 10_000
/** Separate small limit for absent rows, so that invented ids do not evict real entries. */
const MAX_ABSENT = 1_000

/** Time that a lookup waits for a slow database before it uses a stale copy, ms. */
const PATIENCE = 250

interface Entry<V> {
  value: V | null
  expiresAt: number
  /** Era in which the entry was loaded. */
  era: number
}

/** A running query of the database. */
interface Loading<V> {
  value: Promise<V | null>
  since: number
}

/** Eras of uninterrupted notifications about changes; implemented by `NotificationChannel`. */
export interface Eras {
  /** The current era; null while changes go unnoticed. */
  currentEra(): number | null
  /** Time up to which every change of this era has been noticed, milliseconds of `performance.now`; 0 if unknown. */
  provenAt(era: number): number
}

/**
 * Bounded copies of database rows on the hot path. An entry is dropped when its row changes. When changes may have been
 * missed (another era), an entry is loaded again at its next use. Only while the database does not answer the old entry
 * may still serve, and never longer than the time to live after the last moment at which it was known to be current.
 */
export class LiveCache<V> {
  /** Lookups answered from memory. */
  hits = 0
  /** Lookups that queried the database. */
  misses = 0
  /** Whether the database's last answer was too slow. */
  private isSlow = false
  private readonly present = new LRUCache<string, Entry<V>>({ max: MAX_ENTRIES })
  private readonly absent = new LRUCache<string, Entry<V>>({ max: MAX_ABSENT })
  private readonly loading = new Map<string, Loading<V>>()

  /**
   * @param load reads one value, null when there is none
   * @param now clock, milliseconds of `performance.now`
   */
  constructor(
    private readonly load: (key: string) => Promise<V | null>,
    private readonly eras: Eras,
    private readonly now = () => performance.now(),
  ) {}

  /** The value if it may be used without a database query. */
  peek(key: string): V | null | undefined {
    const entry = this.find(key)
    if (!entry || entry.era !== this.eras.currentEra()) return undefined
    this.hits += 1
    return entry.value
  }

  /** Whether the last lookup of the key found a value, however long ago. */
  remembers(key: string): boolean {
    return this.present.has(key)
  }

  /** @throws the error of loading when no copy is fresh enough to use */
  async get(key: string): Promise<V | null> {
    const known = this.peek(key)
    if (known !== undefined) return known
    const loading = this.loading.get(key) ?? this.start(key)
    const old = this.stale(key)
    if (!old) return loading.value
    const found = await this.answered(loading)
    if (found) return found.value
    // A change noticed during the query has dropped the copy.
    return this.present.get(key) === old ? old.value : loading.value
  }

  /** Forgets one key and any load of it in progress, which may have read the row before the change. */
  drop(key: string): void {
    this.present.delete(key)
    this.absent.delete(key)
    this.loading.delete(key)
  }

  /** Forgets all keys, also those being loaded. */
  clear(): void {
    for (const entries of [this.present, this.absent, this.loading]) entries.clear()
  }

  private find(key: string): Entry<V> | undefined {
    const entry = this.present.get(key) ?? this.absent.get(key)
    return entry && entry.expiresAt > this.now() ? entry : undefined
  }

  /** An entry that may serve while the database does not answer. */
  private stale(key: string): Entry<V> | undefined {
    const entry = this.present.get(key)
    const provenAt = entry ? this.eras.provenAt(entry.era) : 0
    return entry && Math.max(entry.expiresAt, provenAt + TIME_TO_LIVE) > this.now() ? entry : undefined
  }

  /** Result of the query; null when it fails or takes too long. */
  private async answered({ value, since }: Loading<V>): Promise<{ value: V | null } | null> {
    if (this.isSlow) return null
    const late = new AbortController()
    const left = Math.max(0, since + PATIENCE - this.now())
    const answer = value.then((found) => ({ value: found })).catch(() => null)
    const found = await Promise.race([answer, delay(left, null, { signal: late.signal }).catch(() => null)])
    late.abort()
    this.isSlow ||= found === null
    return found
  }

  private start(key: string): Loading<V> {
    this.misses += 1
    const loading: Loading<V> = { value: this.load(key), since: this.now() }
    loading.value = this.settle(key, loading, this.eras.currentEra())
    // Waiting callers get the error; without callers the rejection would be unhandled.
    loading.value.catch(() => undefined)
    this.loading.set(key, loading)
    return loading
  }

  private async settle(key: string, loading: Loading<V>, era: number | null): Promise<V | null> {
    try {
      const value = await loading.value
      this.isSlow = false
      if (this.loading.get(key) === loading && era !== null) this.keep(key, value, era)
      return value
    } finally {
      if (this.loading.get(key) === loading) this.loading.delete(key)
    }
  }

  private keep(key: string, value: V | null, era: number): void {
    this.drop(key)
    const [entries, life] = value === null ? [this.absent, ABSENT_TIME_TO_LIVE] : [this.present, TIME_TO_LIVE]
    entries.set(key, { value, era, expiresAt: this.now() + life })
  }
}
