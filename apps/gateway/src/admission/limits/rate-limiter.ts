import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common'
import type { LimitClass, RateLimit } from '@connectivity/contracts/rate-limits'
import { CALL, type Decision, decide, type Taken } from './gcra.js'
import { type Lease, LEASE_LIFE, leaseSize, spend } from './lease.js'
import { limitDecisions } from './limit-metrics.js'
import { LocalBuckets } from './local-buckets.js'
import { type Granted, RedisBuckets } from './redis-buckets.client.js'

/** Calls that follow each other faster are in a row, which is worth a lease, microseconds. */
const IN_A_ROW = 250_000
/** How often leases that are over are given back, ms. */
const SWEEP_EVERY = 250

type CountedIn = 'redis' | 'lease' | 'process'

/** Microseconds. */
const clock = (): number => performance.now() * 1000

/**
 * Decides whether a call passes: in Redis, exactly for all gateways together; in this process while Redis is away. For
 * calls in a row it takes a lease, which saves most of them the way to Redis.
 */
@Injectable()
export class RateLimiter implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly local = new LocalBuckets(clock)
  private readonly leases = new Map<string, Lease>()
  /** Buckets for which a lease is being asked. */
  private readonly asking = new Set<string>()
  private sweep: NodeJS.Timeout | undefined

  constructor(private readonly shared: RedisBuckets) {}

  onApplicationBootstrap(): void {
    this.sweep = setInterval(() => this.giveBack(), SWEEP_EVERY)
    this.sweep.unref()
  }

  onModuleDestroy(): void {
    clearInterval(this.sweep)
  }

  /**
   * Counts one call. Never fails.
   * @param subject whose calls are counted together: a connection, credential, client or address
   */
  async take(limitClass: LimitClass | 'failures', subject: string, limit: RateLimit): Promise<Decision> {
    const key = `limit:${limitClass}:${subject}`
    const lease = this.leases.get(key)
    const spent = this.spend(key, limit)
    const [taken, countedIn] = spent ? [spent, 'lease' as const] : await this.ask(key, limit, lease)
    if (countedIn !== 'process') this.local.remember(key, taken.used)
    const outcome = taken.passes ? 'passed' : 'refused'
    limitDecisions.inc({ class: limitClass, outcome, counted_in: countedIn })
    return decide(taken, limit)
  }

  private async ask(key: string, limit: RateLimit, over: Lease | undefined): Promise<[Taken, CountedIn]> {
    const wanted = !this.asking.has(key) && this.local.age(key) < IN_A_ROW ? leaseSize(limit) : 1
    const askedAt = clock()
    this.leases.delete(key)
    if (wanted > 1) this.asking.add(key)
    const granted = await this.shared.take(key, limit, wanted, over)
    if (wanted > 1) this.asking.delete(key)
    if (!granted) return [this.local.take(key, limit), 'process']
    // Calls that were under way together with the one that got a lease have not used it yet.
    const spent = granted.calls === 0 ? this.spend(key, limit) : null
    if (spent) return [spent, 'lease']
    return [this.keep(key, limit, granted, askedAt), 'redis']
  }

  /** Null when there is no lease, or none that is good for this call. */
  private spend(key: string, limit: RateLimit): Taken | null {
    const lease = this.leases.get(key)
    return lease ? spend(lease, limit, clock()) : null
  }

  /** One of the granted calls passes now, the others are the lease. */
  private keep(key: string, limit: RateLimit, { calls, used, at }: Granted, askedAt: number): Taken {
    const unspent = Math.max(0, calls - 1) * CALL
    if (unspent > 0) this.leases.set(key, { limit, id: at, level: used, unspent, askedAt, cameAt: clock() })
    return { passes: calls > 0, used: used - unspent }
  }

  /** What a row that has ended left over is for other gateways. */
  private giveBack(): void {
    for (const [key, lease] of this.leases) {
      if (clock() - lease.askedAt < LEASE_LIFE) continue
      this.leases.delete(key)
      void this.shared.take(key, lease.limit, 0, lease)
    }
  }
}
