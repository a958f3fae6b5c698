import type { RateLimit } from '@connectivity/contracts/rate-limits'
import { LRUCache } from 'lru-cache'
import { type Bucket, type Taken, takeFrom } from './gcra.js'

const MAX_BUCKETS = 20_000

/**
 * Buckets of this process. Those of calls decide while Redis is unavailable and begin with the levels that it reported.
 */
export class LocalBuckets {
  private readonly buckets = new LRUCache<string, Bucket>({ max: MAX_BUCKETS })

  /** @param now microseconds, monotonic */
  constructor(private readonly now: () => number = () => performance.now() * 1000) {}

  /** Result of counting a call now, without counting it. */
  look(key: string, limit: RateLimit): Taken {
    return takeFrom(this.buckets.get(key), limit, this.now())
  }

  /** Counts a call. */
  take(key: string, limit: RateLimit): Taken {
    const taken = this.look(key, limit)
    this.remember(key, taken.used)
    return taken
  }

  /** Microseconds since the last call that was counted; Infinity when there is none. */
  age(key: string): number {
    const bucket = this.buckets.get(key)
    return bucket ? this.now() - bucket.at : Infinity
  }

  /** Takes over the level that another counter (Redis) reports for the same calls. */
  remember(key: string, used: number): void {
    const bucket = this.buckets.get(key)
    if (bucket) {
      bucket.used = used
      bucket.at = this.now()
      return
    }
    this.buckets.set(key, { used, at: this.now() })
  }
}
