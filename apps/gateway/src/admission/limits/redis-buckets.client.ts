import { once } from 'node:events'
import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common'
import type { RateLimit } from '@connectivity/contracts/rate-limits'
import { LOGGER, type Logger } from '@connectivity/service-kit/logging'
import { Redis } from 'ioredis'
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config.js'
import { type Lease, LEASE_LIFE } from './lease.js'
import { fallbackActive } from './limit-metrics.js'

/**
 * `takeFrom` of gcra.ts inside Redis, on the clock of Redis, for one call or, while no more than half the burst is used
 * and nobody else holds a lease, for several. What is given back of a lease is cut down to what cannot have drained.
 * KEYS: bucket. ARGV: calls per minute, burst, calls wanted; of a lease given back: name, unspent, level.
 */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local per_minute, full, wanted = tonumber(ARGV[1]), ARGV[2] * 1000000, tonumber(ARGV[3])
local used, lease, granted = 0, 0, 0
local at, level, leased = string.match(redis.call('GET', KEYS[1]) or '', '^(%d+) (%d+) (%d+)$')
if at then
  used = math.min(full, math.max(0, level - math.max(0, now - at) * per_minute / 60))
  lease = tonumber(leased)
end
local returned = lease > 0 and lease == tonumber(ARGV[4])
if returned then
  local left = math.max(0, ARGV[6] - (now - lease) * per_minute / 60)
  used, lease = used - math.min(used, left, tonumber(ARGV[5])), 0
end
if now - lease >= ${LEASE_LIFE} then lease = 0 end
if wanted > 0 and used + 1000000 <= full then
  granted = 1
  if lease == 0 and wanted > 1 and used + wanted * 1000000 <= full / 2 then granted, lease = wanted, now end
end
used = math.ceil(used + granted * 1000000)
if used == 0 then
  redis.call('DEL', KEYS[1])
elseif granted > 0 or returned then
  local text = string.format('%.0f %.0f %.0f', now, used, lease)
  redis.call('SET', KEYS[1], text, 'PX', math.ceil(used * 60 / per_minute / 1000))
end
return {granted, used, now}`

type Script = (
  ...args: [key: string, perMinute: number, burst: number, wanted: number, id: number, unspent: number, level: number]
) => Promise<[granted: number, used: number, now: number]>

/** Calls that Redis has counted. */
export interface Granted {
  /** 0: not even one passes. */
  calls: number
  /** What the bucket holds now, these calls included; millionths of a call. */
  used: number
  /** Microseconds, by the clock of Redis. */
  at: number
}

type GivenBack = Pick<Lease, 'id' | 'unspent' | 'level'>
const NOTHING: GivenBack = { id: 0, unspent: 0, level: 0 }

/** Longest that a request waits for Redis before it is counted here, ms. */
const PATIENCE = 250
const CONNECT_PATIENCE = 1_000
/** How often a Redis that failed is tried again, and the longest pause between attempts to connect, ms. */
const PROBE_EVERY = 500

/** Pings in a row that must fail before a Redis that was late counts as away. */
const CONFIRMATIONS = 2
const LATE = 'Command timed out'

/**
 * Buckets in Redis, shared by all gateways. Once Redis has failed a call it is asked nothing but whether it is back:
 * requests do not wait on a dead one. An answer that is late may have waited for this process: then Redis is pinged first.
 */
@Injectable()
export class RedisBuckets implements OnModuleInit, OnApplicationShutdown {
  private readonly redis: Redis & { takeToken?: Script }
  private trusted = true
  /** An answer was late; calls are counted in this process until it is known why. */
  private isDoubted = false
  private probe: NodeJS.Timeout | undefined
  /** Why the last attempt to connect failed: a call only tells that there is no connection. */
  private connectionFault: Error | undefined

  constructor(
    @Inject(GATEWAY_CONFIG)
    { REDIS_URL, REDIS_CA = '' }: Pick<GatewayConfig, 'REDIS_URL'> & Partial<Pick<GatewayConfig, 'REDIS_CA'>>,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.redis = new Redis(REDIS_URL, {
      connectionName: 'gateway',
      ...(REDIS_CA !== '' && { tls: { ca: REDIS_CA } }),
      connectTimeout: CONNECT_PATIENCE,
      commandTimeout: PATIENCE,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      retryStrategy: (attempts) => Math.min(attempts * 50, PROBE_EVERY),
    })
    this.redis.defineCommand('takeToken', { numberOfKeys: 1, lua: TAKE })
    this.redis.on('error', (error: Error) => (this.connectionFault = error))
    fallbackActive.set(0)
  }

  /** The first requests are to find the connection open; a Redis that is away holds up nothing for long. */
  async onModuleInit(): Promise<void> {
    if (this.redis.status === 'ready') return
    await once(this.redis, 'ready', { signal: AbortSignal.timeout(CONNECT_PATIENCE) }).catch(() => undefined)
  }

  /**
   * @param wanted calls to count: 0, 1, or more for a lease
   * @param back a lease that is over
   * @returns null when Redis does not answer
   */
  async take(
    key: string,
    { per_minute, burst }: RateLimit,
    wanted: number,
    { id, unspent, level } = NOTHING,
  ): Promise<Granted | null> {
    if (!this.trusted || this.isDoubted) return null
    try {
      const [calls, used, at] = await this.redis.takeToken!(key, per_minute, burst, wanted, id, unspent, level)
      return { calls, used, at }
    } catch (error) {
      if (error instanceof Error && error.message === LATE) void this.confirm(error)
      else this.distrust(error)
      return null
    }
  }

  onApplicationShutdown(): void {
    clearTimeout(this.probe)
    this.trusted = false
    this.redis.disconnect()
  }

  private async confirm(late: Error): Promise<void> {
    if (this.isDoubted || !this.trusted) return
    this.isDoubted = true
    for (let failed = 0; failed < CONFIRMATIONS; failed++) {
      const answers = await this.redis.ping().catch(() => null)
      if (answers !== null) return void (this.isDoubted = false)
    }
    this.isDoubted = false
    this.distrust(late)
  }

  private distrust(failure: unknown): void {
    if (!this.trusted) return
    this.trusted = false
    const err = this.redis.status === 'ready' ? failure : (this.connectionFault ?? failure)
    fallbackActive.set(1)
    this.log.warn({ err }, 'Redis does not answer, limits are counted in this process')
    this.probeLater()
  }

  private probeLater(): void {
    this.probe = setTimeout(() => void this.tryAgain(), PROBE_EVERY)
    this.probe.unref()
  }

  private async tryAgain(): Promise<void> {
    try {
      await this.redis.ping()
      this.trusted = true
      fallbackActive.set(0)
      this.log.info('Redis answers again, limits are shared between gateways')
    } catch {
      // A connection on which nothing comes back may be dead without a word; a new one tells.
      if (this.redis.status === 'ready') this.redis.disconnect(true)
      this.probeLater()
    }
  }
}
