import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { createLogger } from '@connectivity/service-kit/logging'
import { eventually } from '@connectivity/testing/eventually'
import type { RateLimit } from '@connectivity/contracts/rate-limits'
import { RateLimiter } from './rate-limiter.service.js'
import { RedisBuckets } from './redis-buckets.client.js'

/** Calls in flight at the same time; each may have been counted at any moment of its flight. */
const CLIENTS = 3

describe('leases', () => {
  const opened: { buckets: RedisBuckets; limiter: RateLimiter }[] = []

  /** One gateway, which also counts how often it asked Redis. */
  const gateway = async () => {
    const buckets = new RedisBuckets({ REDIS_URL: process.env.REDIS_URL! }, createLogger('test', 'silent'))
    await buckets.onModuleInit()
    const asked = { times: 0 }
    const take = buckets.take.bind(buckets)
    buckets.take = (...args) => {
      asked.times += 1
      return take(...args)
    }
    const limiter = new RateLimiter(buckets)
    limiter.onApplicationBootstrap()
    opened.push({ buckets, limiter })
    return { limiter, asked }
  }
  afterEach(async () => {
    for (const { buckets, limiter } of opened.splice(0)) {
      await limiter.onModuleDestroy()
      buckets.onApplicationShutdown()
    }
  })

  const take = (limiter: RateLimiter, subject: string, limit: RateLimit) => limiter.take('feed', subject, limit)
  const passedOf = async (limiters: readonly RateLimiter[], subject: string, calls: number, limit: RateLimit) => {
    let passed = 0
    for (let call = 0; call < calls; call += 1) {
      const { passes } = await take(limiters[call % limiters.length]!, subject, limit)
      if (passes) passed += 1
    }
    return passed
  }

  it('save round trips to Redis for calls in a row, while the headers count call by call', async () => {
    const { limiter, asked } = await gateway()
    const limit = { per_minute: 1, burst: 400 }
    const subject = randomUUID()
    const said: number[] = []
    for (let call = 0; call < 200; call += 1) said.push((await take(limiter, subject, limit)).remaining)
    expect(said).toEqual(Array.from({ length: 200 }, (_, index) => 399 - index))
    expect(asked.times).toBeLessThan(40)
  })

  it('also last between slow calls in a row under a high limit, which drains them fast', async () => {
    const { limiter, asked } = await gateway()
    const subject = randomUUID()
    for (let call = 0; call < 20; call += 1) {
      await take(limiter, subject, { per_minute: 1_000_000, burst: 1_000_000 })
      await delay(50)
    }
    expect(asked.times).toBeLessThan(15)
  })

  it('are not requested for calls that come one by one', async () => {
    const { limiter, asked } = await gateway()
    const subject = randomUUID()
    for (let call = 0; call < 3; call += 1) {
      await take(limiter, subject, { per_minute: 60, burst: 60 })
      await delay(300)
    }
    expect(asked.times).toBe(3)
  })

  it.each([1, 2, 3])('pass exactly the burst at once, for calls in a row over %d gateways', async (count) => {
    const gateways = await Promise.all(Array.from({ length: count }, gateway))
    const limiters = gateways.map(({ limiter }) => limiter)
    expect(await passedOf(limiters, randomUUID(), 100, { per_minute: 1, burst: 60 })).toBe(60)
  })

  it.each([7, 60])('leave no call of a burst of %d unused when all calls come at once', async (burst) => {
    const { limiter } = await gateway()
    const limit = { per_minute: 1, burst }
    const subject = randomUUID()
    const first = await take(limiter, subject, limit)
    const others = await Promise.all(Array.from({ length: 2 * burst }, () => take(limiter, subject, limit)))
    expect([first, ...others].filter(({ passes }) => passes)).toHaveLength(burst)
  })

  it('are used up before a call is refused, and given back when the row of calls has ended', async () => {
    const [one, other] = [await gateway(), await gateway()]
    const limit = { per_minute: 1, burst: 60 }
    const subject = randomUUID()
    expect(await passedOf([one.limiter], subject, 3, limit)).toBe(3)
    const passed = await passedOf([other.limiter], subject, 70, limit)
    expect(passed).toBeLessThanOrEqual(57)
    // The first gateway gives its unused calls back after a second.
    await eventually(async () => {
      expect((await take(other.limiter, subject, limit)).passes).toBe(true)
    })
    expect(passed + 1 + (await passedOf([other.limiter], subject, 20, limit))).toBe(57)
  })

  it('never pass more in any period than the burst plus the rate over that period', async () => {
    const gateways = await Promise.all([gateway(), gateway(), gateway()])
    const limit = { per_minute: 6_000, burst: 40 }
    const subject = randomUUID()
    const passed: { from: number; to: number }[] = []
    const client = async (index: number) => {
      for (let call = 0; call < 120; call += 1) {
        const { limiter } = gateways[(index + (call >> 4)) % gateways.length]!
        const from = performance.now()
        if ((await take(limiter, subject, limit)).passes) passed.push({ from, to: performance.now() })
        if ((call * 7 + index * 3) % 20 === 0) await delay(20 + ((call * 31) % 150))
      }
    }
    await Promise.all(Array.from({ length: CLIENTS }, (_, index) => client(index)))
    passed.sort((a, b) => a.to - b.to)
    for (let first = 0; first < passed.length; first += 1) {
      for (let last = first; last < passed.length; last += 1) {
        const seconds = (passed[last]!.to - passed[first]!.from) / 1000
        expect(last - first + 1).toBeLessThanOrEqual(limit.burst + (seconds * limit.per_minute) / 60 + CLIENTS)
      }
    }
    expect(passed.length).toBeGreaterThan(60)
  })
})
