import { LRUCache } from 'lru-cache'

/** Longest time that an entry may be stale if every invalidation is lost, ms. */
export const TIME_TO_LIVE = 30_000
/** The same for absent rows, ms. */
const ABSENT_TIME_TO_LIVE = 5_000
const MAX_ENTRIES = 10_000
/** Separate small limit for absent rows, so that invented ids do not evict real entries. */
const MAX_ABSENT = 1_000

interface Entry<V> {
  value: V | null
  expiresAt: number
  /** The era in which it was loaded. */
  era: number
}

/** Returns the current era; null while changes in the database go unnoticed. */
export type EraClock = () => number | null

/** Options of a cache. */
export interface LiveCacheOptions {
  /** Whether an entry of an earlier era may serve while the database is unreachable. */
  mayServeStale: boolean
  /** Milliseconds, monotonic. */
  now?: () => number
}

/**
 * Bounded copies of database rows on the hot path. An entry is dropped when its row changes. When changes may have been
 * missed (another era), an entry is loaded again at its next use. Only while the database is unreachable the old entry
 * may still serve, and never longer than its time to live.
 */
export class LiveCache<V> {
  /** Lookups answered from memory. */
  hits = 0
  /** Lookups that queried the database. */
  misses = 0
  private readonly present = new LRUCache<string, Entry<V>>({ max: MAX_ENTRIES })
  private readonly absent = new LRUCache<string, Entry<V>>({ max: MAX_ABSENT })
  private readonly loading = new Map<string, Promise<V | null>>()
  private readonly now: () => number

  /**
   * @param load reads one value, null when there is none
   */
  constructor(
    private readonly load: (key: string) => Promise<V | null>,
    private readonly era: EraClock,
    private readonly options: LiveCacheOptions,
  ) {
    this.now = options.now ?? (() => performance.now())
  }

  /** The value if it may be used without a database query. */
  peek(key: string): V | null | undefined {
    const entry = this.find(key)
    if (!entry || entry.era !== this.era()) return undefined
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
    try {
      return await (this.loading.get(key) ?? this.start(key))
    } catch (error) {
      const stale = this.options.mayServeStale ? this.find(key) : undefined
      if (stale?.value) return stale.value
      throw error
    }
  }

  /** Forgets one key and any load of it in progress, which may have read the row before the change. */
  drop(key: string): void {
    this.present.delete(key)
    this.absent.delete(key)
    this.loading.delete(key)
  }

  clear(): void {
    for (const entries of [this.present, this.absent, this.loading]) entries.clear()
  }

  private find(key: string): Entry<V> | undefined {
    const entry = this.present.get(key) ?? this.absent.get(key)
    return entry && entry.expiresAt > this.now() ? entry : undefined
  }

  private async start(key: string): Promise<V | null> {
    this.misses += 1
    const era = this.era()
    const loading = this.load(key)
    this.loading.set(key, loading)
    try {
      const value = await loading
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
