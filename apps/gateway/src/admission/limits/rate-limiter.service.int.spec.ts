import { jest } from '@jest/globals'
import { setTimeout as sleep } from 'node:timers/promises'
import { randomUUID } from 'node:crypto'
import { createLogger } from '@connectivity/service-kit/logging'
import { eventually } from '@connectivity/testing/eventually'
import { Redis } from 'ioredis'
import { fallbackActive } from './limit-metrics.js'
import { RateLimiter } from './rate-limiter.service.js'
import { RedisBuckets } from './redis-buckets.client.js'
import { NetworkPath } from '@connectivity/toolkit/network-path'

const REDIS_URL = process.env.REDIS_URL!
/** The cause of each switch away from Redis since a limiter first connected. */
const givenUp: string[] = []
const log = Object.assign(createLogger('test', 'silent'), {
  warn: ({ err }: { err: Error }) => void givenUp.push(err.message),
})
const WAITED_IN_VAIN = 'Command timed out'
const slow = { per_minute: 1, burst: 20 }

describe('the rate limiter', () => {
  const redis = new Redis(REDIS_URL)
  const opened: RedisBuckets[] = []
  let redisPath: NetworkPath

  const limiter = async (url = REDIS_URL): Promise<RateLimiter> => {
    const buckets = new RedisBuckets({ REDIS_URL: url }, log)
    opened.push(buckets)
    const limiter = new RateLimiter(buckets)
    const probe = randomUUID()
    await eventually(async () => {
      await limiter.take('reads', probe, slow)
      expect(await redis.exists(`limit:reads:${probe}`)).toBe(1)
    })
    givenUp.length = 0
    return limiter
  }
  const proxied = async (): Promise<RateLimiter> => {
    const { path: proxy, url } = await NetworkPath.before(REDIS_URL)
    redisPath = proxy
    return limiter(url)
  }
  const passed = async (limiters: readonly RateLimiter[], subject: string, calls: number, limit = slow) => {
    const takes = Array.from({ length: calls }, (_, index) =>
      limiters[index % limiters.length]!.take('feed', subject, limit),
    )
    return (await Promise.all(takes)).filter(({ passes }) => passes).length
  }

  afterEach(() => {
    for (const buckets of opened.splice(0)) buckets.onApplicationShutdown()
    redisPath?.close()
  })
  afterAll(() => redis.quit())

  it('passes exactly the burst at once, summed over several gateways', async () => {
    const gateways = [await limiter(), await limiter()]
    expect(await passed(gateways, randomUUID(), 60)).toBe(20)
  })

  it('refuses again without asking Redis, for a quarter of a second', async () => {
    const one = await limiter()
    const asked = jest.spyOn(opened.at(-1)!, 'take')
    const subject = randomUUID()
    expect(await passed([one], subject, 30)).toBe(20)
    const [before, begunAt] = [asked.mock.calls.length, performance.now()]
    for (let calls = 0; calls < 100; calls++) expect((await one.take('feed', subject, slow)).passes).toBe(false)
    const quarters = Math.ceil((performance.now() - begunAt) / 250)
    expect(asked.mock.calls.length - before).toBeLessThan(10 * quarters)
    await sleep(300)
    const after = asked.mock.calls.length
    await one.take('feed', subject, slow)
    expect(asked.mock.calls.length - after).toBe(1)
  })

  it('returns how many calls would pass now, and counts each subject and class separately', async () => {
    const one = await limiter()
    const subject = randomUUID()
    expect(await one.take('feed', subject, slow)).toMatchObject({ passes: true, remaining: 19, resetSeconds: 60 })
    expect(await one.take('feed', subject, slow)).toMatchObject({ passes: true, remaining: 18, resetSeconds: 120 })
    expect(await one.take('feed', randomUUID(), slow)).toMatchObject({ remaining: 19 })
    expect(await one.take('ari', subject, slow)).toMatchObject({ remaining: 19 })
  })

  it('drains on the clock of Redis, and deletes a bucket once it is empty', async () => {
    const one = await limiter()
    const subject = randomUUID()
    const fast = { per_minute: 60, burst: 1 }
    expect((await one.take('feed', subject, fast)).passes).toBe(true)
    expect((await one.take('feed', subject, fast)).passes).toBe(false)
    await eventually(async () => expect((await one.take('feed', subject, fast)).passes).toBe(true))
    await eventually(async () => expect(await redis.exists(`limit:feed:${subject}`)).toBe(0))
  })

  it('applies a raised limit at once', async () => {
    const one = await limiter()
    const subject = randomUUID()
    expect(await passed([one], subject, 25)).toBe(20)
    expect(await one.take('feed', subject, { per_minute: 1, burst: 30 })).toMatchObject({ passes: true, remaining: 9 })
  })

  it('leaves no debt above the burst when a limit is lowered', async () => {
    const one = await limiter()
    const subject = randomUUID()
    expect(await passed([one], subject, 20, { per_minute: 60, burst: 20 })).toBe(20)
    const refused = await one.take('feed', subject, { per_minute: 60, burst: 2 })
    expect(refused).toMatchObject({ passes: false, resetSeconds: 2, retryAfterSeconds: 1 })
  })

  it('counts in the process, from the last level in Redis, while Redis is down, and then returns to it', async () => {
    const one = await proxied()
    const subject = randomUUID()
    expect(await passed([one], subject, 5)).toBe(5)
    redisPath.cut()
    expect(await passed([one], subject, 30)).toBe(15)
    // On a busy machine the calls end before the loss of the connection is confirmed.
    await eventually(() => expect(givenUp).toHaveLength(1))
    expect(givenUp).not.toContain(WAITED_IN_VAIN)
    expect((await fallbackActive.get()).values[0]!.value).toBe(1)
    redisPath.restore()
    await eventually(async () => expect((await fallbackActive.get()).values[0]!.value).toBe(0))
    // The limiter repeats its last refusal for 250 ms, even when Redis is back before that.
    await eventually(async () =>
      expect(await one.take('feed', subject, slow)).toMatchObject({ passes: true, remaining: 14 }),
    )
  })

  it('waits once, not for every call, on a Redis that does not answer', async () => {
    const one = await proxied()
    redisPath.stall()
    expect((await one.take('feed', randomUUID(), slow)).passes).toBe(true)
    await eventually(() => expect(givenUp).toEqual([WAITED_IN_VAIN]))
    const waits: number[] = []
    for (let call = 0; call < 21; call += 1) {
      const from = performance.now()
      expect((await one.take('feed', randomUUID(), slow)).passes).toBe(true)
      waits.push(performance.now() - from)
    }
    // The median: on a busy machine some calls wait for a processor.
    expect(waits.toSorted((a, b) => a - b)[10]).toBeLessThan(50)
    redisPath.restore()
    await eventually(async () => expect((await fallbackActive.get()).values[0]!.value).toBe(0))
  })

  it('keeps using a Redis whose answer was late only because this process was busy', async () => {
    const one = await limiter()
    const subject = randomUUID()
    const waiting = one.take('feed', subject, slow)
    await new Promise(setImmediate)
    const busyUntil = performance.now() + 600
    while (performance.now() < busyUntil);
    expect((await waiting).passes).toBe(true)
    await eventually(async () => {
      await one.take('feed', subject, slow)
      expect(await redis.exists(`limit:feed:${subject}`)).toBe(1)
    })
    expect(givenUp).toEqual([])
  })

  it('counts in the process from the first call when Redis was never available', async () => {
    const buckets = new RedisBuckets({ REDIS_URL: 'redis://127.0.0.1:9' }, log)
    opened.push(buckets)
    expect(await passed([new RateLimiter(buckets)], randomUUID(), 30)).toBe(20)
  })
})
