import { Counter } from 'prom-client'
import type { LiveCache } from '@connectivity/database/notifications'

const caches = new Map<string, Pick<LiveCache<unknown>, 'hits' | 'misses'>>()

/** Exports the lookups of a cache as metrics; the cache itself counts them at no cost. */
export const showLookups = (name: string, cache: Pick<LiveCache<unknown>, 'hits' | 'misses'>): void =>
  void caches.set(name, cache)

// Lookups in admission's copies of database rows.
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
