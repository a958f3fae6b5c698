import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common'
import type { RateClass, RateLimit } from '@connectivity/contracts/rate-limits'
import { BackgroundLoop } from '@connectivity/service-kit/work'
import { CALL, type Decision, decide, type Taken } from './gcra.js'
import { IN_A_ROW, type Lease, LEASE_LIFE, leaseSize, spend } from './lease.js'
import { limitDecisions } from './limit-metrics.js'
import { LocalBuckets } from './local-buckets.js'
import { type Granted, RedisBuckets } from './redis-buckets.client.js'

/** Interval at which expired leases are given back, ms. */
const SWEEP_EVERY = 250

/** Time for which a refusal of Redis holds without asking again, microseconds: other gateways may give calls back. */
const REFUSAL_HOLDS = 250_000

type CountedIn = 'redis' | 'lease' | 'process' | 'refusal'

/** Current time of a monotonic clock, microseconds. */
const clock = (): number => performance.now() * 1000

/**
 * Decides whether a call passes: in Redis, exactly for all gateways together; in this process while Redis is down. For
 * calls in a row it takes a lease, which saves most of them the round trip to Redis.
 */
@Injectable()
export class RateLimiter implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly local = new LocalBuckets(clock)
  private readonly leases = new Map<string, Lease>()
  /** Buckets with a lease request in flight. */
  private readonly asking = new Set<string>()
  private readonly loop = BackgroundLoop.every(SWEEP_EVERY, () => this.giveBack())

  constructor(private readonly shared: RedisBuckets) {}

  onApplicationBootstrap(): void {
    this.loop.start(SWEEP_EVERY)
  }

  onModuleDestroy(): Promise<void> {
    return this.loop.stop()
  }

  /**
   * Counts one call. Never fails.
   * @param subject the connection, credential, client or address whose calls are counted together
   */
  async take(rateClass: RateClass | 'failures', subject: string, limit: RateLimit): Promise<Decision> {
    const key = `limit:${rateClass}:${subject}`
    const lease = this.leases.get(key)
    const spent = spend(lease, limit, clock())
    const [taken, countedIn] = spent
      ? [spent, 'lease' as const]
      : (this.refuseAgain(key, limit) ?? (await this.ask(key, limit, lease)))
    if (countedIn === 'redis' || countedIn === 'lease') this.local.remember(key, taken.used)
    const outcome = taken.passes ? 'passed' : 'refused'
    limitDecisions.inc({ class: rateClass, outcome, counted_in: countedIn })
    return decide(taken, limit)
  }

  /** Refuses a call from memory if Redis has refused one a moment ago and nothing has drained since; null if not. */
  private refuseAgain(key: string, limit: RateLimit): [Taken, CountedIn] | null {
    // The lease that is being requested may still cover this call.
    if (this.asking.has(key) || this.local.age(key) >= REFUSAL_HOLDS) return null
    const taken = this.local.look(key, limit)
    return taken.passes ? null : [taken, 'refusal']
  }

  private async ask(key: string, limit: RateLimit, over: Lease | undefined): Promise<[Taken, CountedIn]> {
    const wanted = !this.asking.has(key) && this.local.age(key) < IN_A_ROW ? leaseSize(limit) : 1
    const askedAt = clock()
    this.leases.delete(key)
    if (wanted > 1) this.asking.add(key)
    const granted = await this.shared.take(key, limit, wanted, over)
    if (wanted > 1) this.asking.delete(key)
    if (!granted) return [this.local.take(key, limit), 'process']
    // A call in flight together with the one that got a lease can still use that lease.
    const spent = granted.calls === 0 ? spend(this.leases.get(key), limit, clock()) : null
    if (spent) return [spent, 'lease']
    return [this.keep(key, limit, granted, askedAt), 'redis']
  }

  /** Passes one of the granted calls now and keeps the others as the lease. */
  private keep(key: string, limit: RateLimit, { calls, used, at }: Granted, askedAt: number): Taken {
    const unspent = Math.max(0, calls - 1) * CALL
    if (unspent > 0) this.leases.set(key, { limit, id: at, level: used, unspent, askedAt, cameAt: clock() })
    return { passes: calls > 0, used: used - unspent }
  }

  /** Returns the unused calls of expired leases, so that other gateways can use them. Never rejects. */
  private async giveBack(): Promise<void> {
    const expired = [...this.leases].filter(([, { askedAt }]) => clock() - askedAt >= LEASE_LIFE)
    for (const [key] of expired) this.leases.delete(key)
    await Promise.all(expired.map(([key, lease]) => this.shared.take(key, lease.limit, 0, lease)))
  }
}
