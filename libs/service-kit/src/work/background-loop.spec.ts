import { setTimeout as delay } from 'node:timers/promises'
import { BackgroundLoop } from './background-loop.js'

const FOREVER = 1_000_000
const noFailure = (error: unknown): number => {
  throw error
}

/** A loop that counts the rounds it has begun. @param rests after each round, ms; a negative one fails the round */
function subject(rests: readonly number[], failed: (error: unknown) => number = noFailure) {
  let done = 0
  let waiting: { count: number; resolve: () => void } | undefined
  const loop = new BackgroundLoop(async () => {
    done += 1
    if (waiting && done >= waiting.count) waiting.resolve()
    const rest = rests[done - 1] ?? FOREVER
    if (rest < 0) throw new Error(`failure of round ${done}`)
    return rest
  }, failed)
  const reached = (count: number) =>
    done >= count ? Promise.resolve() : new Promise<void>((resolve) => (waiting = { count, resolve }))
  return { loop, reached, count: () => done }
}

describe('a background loop', () => {
  it('runs rounds, each followed by the rest it asks for, until it is stopped', async () => {
    const { loop, reached, count } = subject([0, 5, 0])
    loop.start()
    await reached(4)
    await loop.stop()
    expect([count(), loop.isStopping]).toEqual([4, true])
  })

  it('ends a rest early when woken, and skips the rest after a round during which it was woken', async () => {
    const { loop, reached } = subject([])
    loop.start()
    await reached(1)
    // During the first round: its rest has not begun.
    loop.wake()
    await reached(2)
    await new Promise(setImmediate)
    loop.wake()
    await reached(3)
    await loop.stop()
  })

  it('continues after failures', async () => {
    const failures: string[] = []
    const { loop, reached } = subject([-1, -1], (error) => failures.push((error as Error).message) && 1)
    loop.start()
    await reached(3)
    await loop.stop()
    expect(failures).toEqual(['failure of round 1', 'failure of round 2'])
  })

  it('rests after a failure even when woken, and stops at once', async () => {
    const { loop, reached, count } = subject([-1], () => FOREVER)
    loop.start()
    await reached(1)
    await new Promise(setImmediate)
    loop.wake()
    await new Promise(setImmediate)
    expect(count()).toBe(1)
    await loop.stop()
  })

  it('rests for months', async () => {
    const { loop, reached, count } = subject([90 * 24 * 3_600_000])
    loop.start()
    await reached(1)
    await delay(50)
    expect(count()).toBe(1)
    await loop.stop()
  })

  it('rests before the first round for the given time, and can be stopped during it', async () => {
    const { loop, count } = subject([])
    loop.start(FOREVER)
    await loop.stop()
    expect(count()).toBe(0)
  })

  it('waits for the running round when it stops', async () => {
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
    let ended = false
    const loop = BackgroundLoop.every(FOREVER, async () => {
      await mayEnd
      ended = true
    })
    loop.start()
    const stopped = loop.stop()
    await new Promise(setImmediate)
    expect(ended).toBe(false)
    end()
    await stopped
    expect(ended).toBe(true)
  })

  it('begins rounds at an interval, never two at once, and continues after failures', async () => {
    const begun: number[] = []
    const failures: unknown[] = []
    let atOnce = 0
    const { promise: enough, resolve } = Promise.withResolvers<void>()
    const loop = BackgroundLoop.every(
      20,
      async () => {
        expect(++atOnce).toBe(1)
        begun.push(performance.now())
        await delay(begun.length === 1 ? 60 : 1)
        atOnce -= 1
        if (begun.length === 2) throw new Error('once')
        if (begun.length === 4) resolve()
      },
      (error) => failures.push(error),
    )
    loop.start()
    await enough
    await loop.stop()
    // A round may note its beginning a little late, so all gaps are judged together, with a tolerance of one interval.
    expect(begun[3]! - begun[0]!).toBeGreaterThan(2 * 20)
    expect(failures).toEqual([new Error('once')])
  })

  it('does not start once it is stopped', async () => {
    const { loop, count } = subject([])
    await loop.stop()
    loop.start()
    await new Promise(setImmediate)
    expect(count()).toBe(0)
  })
})
