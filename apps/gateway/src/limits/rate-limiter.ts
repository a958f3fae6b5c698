import { Injectable } from '@nestjs/common'
import type { LimitClass, RateLimit } from '@connectivity/contracts/operators-api'
import { type Decision, decide, type Taken } from './gcra.js'
import { limitDecisions } from './limit-metrics.js'
import { LocalBuckets } from './local-buckets.js'
import { RedisBuckets } from './redis-buckets.client.js'

/** Decides whether a call passes: in Redis, exactly for all gateways together; in this process while Redis is away. */
@Injectable()
export class RateLimiter {
  private readonly local = new LocalBuckets()

  constructor(private readonly shared: RedisBuckets) {}

  /**
   * Counts one call. Never fails.
   * @param subject whose calls are counted together: a connection, credential, client or address
   */
  async take(limitClass: LimitClass | 'failures', subject: string, limit: RateLimit): Promise<Decision> {
    const key = `limit:${limitClass}:${subject}`
    const shared = await this.shared.take(key, limit)
    if (shared) this.local.remember(key, shared.used)
    const taken: Taken = shared ?? this.local.take(key, limit)
    limitDecisions.inc({
      class: limitClass,
      outcome: taken.passes ? 'passed' : 'refused',
      counted_in: shared ? 'redis' : 'process',
    })
    return decide(taken, limit)
  }
}
