import { once } from 'node:events'
import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common'
import type { RateLimit } from '@connectivity/contracts/operators-api'
import { LOGGER, type Logger } from '@connectivity/service-kit/logging'
import { Redis } from 'ioredis'
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js'
import type { Taken } from './gcra.js'
import { fallbackActive } from './limit-metrics.js'

/** `takeFrom` of gcra.ts inside Redis, on the clock of Redis. KEYS: bucket. ARGV: calls per minute, burst. */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local per_minute, full = tonumber(ARGV[1]), ARGV[2] * 1000000
local used = 0
local at, level = string.match(redis.call('GET', KEYS[1]) or '', '^(%d+) (%d+)$')
if at then used = math.min(full, math.max(0, level - math.max(0, now - at) * per_minute / 60)) end
if used + 1000000 > full then return {0, math.ceil(used)} end
used = math.ceil(used + 1000000)
redis.call('SET', KEYS[1], string.format('%.0f %.0f', now, used), 'PX', math.ceil(used * 60 / per_minute / 1000))
return {1, used}`

type Script = (key: string, perMinute: number, burst: number) => Promise<[passes: 0 | 1, used: number]>

/** Longest that a request waits for Redis before it is counted here, ms. */
const PATIENCE = 250
const CONNECT_PATIENCE = 1_000
/** How often a Redis that failed is tried again, and the longest pause between attempts to connect, ms. */
const PROBE_EVERY = 500

/**
 * Buckets in Redis, shared by all gateways. Once Redis has failed a call it is asked nothing but whether it is back:
 * requests do not wait on a dead one.
 */
@Injectable()
export class RedisBuckets implements OnModuleInit, OnApplicationShutdown {
  private readonly redis: Redis & { takeToken?: Script }
  private trusted = true
  private probe: NodeJS.Timeout | undefined

  constructor(
    @Inject(GATEWAY_CONFIG) { REDIS_URL }: Pick<GatewayConfig, 'REDIS_URL'>,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.redis = new Redis(REDIS_URL, {
      connectionName: 'gateway',
      connectTimeout: CONNECT_PATIENCE,
      commandTimeout: PATIENCE,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      retryStrategy: (attempts) => Math.min(attempts * 50, PROBE_EVERY),
    })
    this.redis.defineCommand('takeToken', { numberOfKeys: 1, lua: TAKE })
    // Every failed attempt to connect says so here; what follows from it is noticed by the calls.
    this.redis.on('error', () => undefined)
    fallbackActive.set(0)
  }

  /** The first requests are to find the connection open; a Redis that is away holds up nothing for long. */
  async onModuleInit(): Promise<void> {
    if (this.redis.status === 'ready') return
    await once(this.redis, 'ready', { signal: AbortSignal.timeout(CONNECT_PATIENCE) }).catch(() => undefined)
  }

  /** @returns null when Redis does not answer */
  async take(key: string, { per_minute, burst }: RateLimit): Promise<Taken | null> {
    if (!this.trusted) return null
    try {
      const [passes, used] = await this.redis.takeToken!(key, per_minute, burst)
      return { passes: passes === 1, used }
    } catch (error) {
      this.distrust(error)
      return null
    }
  }

  onApplicationShutdown(): void {
    clearTimeout(this.probe)
    this.trusted = false
    this.redis.disconnect()
  }

  private distrust(err: unknown): void {
    if (!this.trusted) return
    this.trusted = false
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
