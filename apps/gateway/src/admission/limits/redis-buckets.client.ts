import { once } from 'node:events'
import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common'
import type { RateLimit } from '@connectivity/contracts/rate-limits'
import { BackgroundLoop } from '@connectivity/service-kit/work'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { Redis } from 'ioredis'
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config.js'
import { type Lease, LEASE_LIFE } from './lease.js'
import { fallbackActive } from './limit-metrics.js'

/**
 * `takeFrom` of gcra.ts inside Redis, on the clock of Redis, for one call or, while no more than half the burst is used
 * and no other lease is valid, for several. A returned lease is reduced by the calls that may have drained since.
 * KEYS: bucket. ARGV: calls per minute, burst, calls wanted; for a returned lease: id, unspent, level.
 */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local per_minute, full, wanted = tonumber(ARGV[1]), ARGV[2] * 1000000, tonumber(ARGV[3])
local used, lease, granted = 0, 0, 0
local at, level, leased = string.match(redis.call('GET', KEYS[1]) or '', '^(%d+) (%d+) (%d+)$')
if at then
  used = math.max(0, math.min(full, level) - math.max(0, now - at) * per_minute / 60)
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
  /** 0 when not even one call passes. */
  calls: number
  /** Level of the bucket now, including these calls; millionths of a call. */
  used: number
  /** Microseconds, on the clock of Redis. */
  at: number
}

type GivenBack = Pick<Lease, 'id' | 'unspent' | 'level'>
const NOTHING: GivenBack = { id: 0, unspent: 0, level: 0 }

/** Longest wait of a request for Redis before it is counted in this process, ms. */
const PATIENCE = 250
const CONNECT_PATIENCE = 1_000
/** Interval between probes of a failed Redis, and the longest pause between attempts to connect, ms. */
const PROBE_EVERY = 500

/** Pings in a row that must fail before a late Redis counts as unavailable. */
const CONFIRMATIONS = 2
const LATE = 'Command timed out'

/**
 * Buckets in Redis, shared by all gateways. After a failed call Redis gets only probes until it answers again, so that
 * requests do not wait on a dead one. A late answer may be the fault of this process: then Redis is pinged first.
 */
@Injectable()
export class RedisBuckets implements OnModuleInit, OnApplicationShutdown {
  private readonly redis: Redis & { takeToken?: Script }
  private trusted = true
  /** Whether an answer was late, so that calls are counted in this process until pings show why. */
  private isDoubted = false
  /** Pings a failed Redis until it answers. */
  private probe: BackgroundLoop | undefined
  /** Cause of the last failed attempt to connect. The error of a call does not name it. */
  private connectionFault: Error | undefined

  constructor(
    @Inject(GATEWAY_CONFIG)
    { REDIS_URL, REDIS_CA }: Pick<GatewayConfig, 'REDIS_URL'> & Partial<Pick<GatewayConfig, 'REDIS_CA'>>,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.redis = new Redis(REDIS_URL, {
      connectionName: 'gateway',
      ...(REDIS_CA?.tls && { tls: REDIS_CA.tls }),
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

  /** Opens the connection before the first requests; an unavailable Redis delays the start by at most 1 s. */
  async onModuleInit(): Promise<void> {
    if (this.redis.status === 'ready') return
    await once(this.redis, 'ready', { signal: AbortSignal.timeout(CONNECT_PATIENCE) }).catch(() => undefined)
  }

  /**
   * @param wanted calls to count: 0, 1, or more for a lease
   * @param back an expired lease to give back
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
    void this.probe?.stop()
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
    this.probe = new BackgroundLoop(
      () => this.tryAgain(),
      () => this.reconnect(),
    )
    this.probe.start(PROBE_EVERY)
  }

  private async tryAgain(): Promise<number> {
    await this.redis.ping()
    this.trusted = true
    fallbackActive.set(0)
    this.log.info('Redis answers again, limits are shared between gateways')
    void this.probe?.stop()
    return 0
  }

  /** A silent connection may be dead; reconnecting shows whether Redis is back. */
  private reconnect(): number {
    if (this.redis.status === 'ready') this.redis.disconnect(true)
    return PROBE_EVERY
  }
}
