import { Counter } from 'prom-client'
import type { LiveCache } from './live-cache.js'

const caches = new Map<string, Pick<LiveCache<unknown>, 'hits' | 'misses'>>()

/** Has the lookups of a cache shown in the metrics; they are counted by the cache itself, which costs nothing. */
export const showLookups = (name: string, cache: Pick<LiveCache<unknown>, 'hits' | 'misses'>): void =>
  void caches.set(name, cache)

// Lookups in the copies of database rows that admission works with.
new Counter({
  name: 'connectivity_cache_lookups_total',
  help: 'Lookups of credentials, connections and tokens: answered from memory (hit) or by the database (miss).',
  labelNames: ['cache', 'result'] as const,
  collect() {
    this.reset()
    for (const [cache, { hits, misses }] of caches) {
      this.inc({ cache, result: 'hit' }, hits)
      this.inc({ cache, result: 'miss' }, misses)
    }
  },
})
