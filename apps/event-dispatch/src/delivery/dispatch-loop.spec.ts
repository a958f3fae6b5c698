import { setImmediate as turnOfLoop } from 'node:timers/promises'
import { jest } from '@jest/globals'
import { DispatchLoop } from './dispatch-loop.js'

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }))
afterEach(() => void jest.useRealTimers())

/** Waits until the loop rests: the only timer left is the one for its next poll. */
async function atRest(): Promise<void> {
  while (jest.getTimerCount() === 0) await turnOfLoop()
}

const failed = (error: unknown): never => {
  throw error
}

describe('the loop of the dispatcher', () => {
  it.each([
    [100, 900],
    [15_000, 5_000],
  ])('after leasing for %d ms, rests for %d ms', async (took, rest) => {
    const leases: number[] = []
    const loop = new DispatchLoop(
      async () => {
        leases.push(performance.now())
        if (leases.length === 1) jest.advanceTimersByTime(took)
        return false
      },
      async () => undefined,
      failed,
    )
    loop.start()
    await atRest()
    jest.advanceTimersByTime(rest + 1)
    for (let turns = 0; leases.length < 2 && turns < 1_000; turns++) await turnOfLoop()
    expect(leases[1]! - leases[0]! - took).toBeCloseTo(rest, -1)
    void loop.stop()
  })

  it.each([
    [true, ['poll', 'leased', 'poll']],
    [false, ['poll', 'leased']],
  ])('polls beside leasing, and again if there are new leases (%p)', async (hasNew, expected) => {
    const steps: string[] = []
    const lease = Promise.withResolvers<boolean>()
    const loop = new DispatchLoop(
      () => lease.promise,
      async () => void steps.push('poll'),
      failed,
    )
    loop.start()
    await atRest()
    steps.push('leased')
    lease.resolve(hasNew)
    for (let turn = 0; turn < 20; turn++) {
      await turnOfLoop()
      jest.advanceTimersByTime(3)
    }
    expect(steps).toEqual(expected)
    void loop.stop()
  })

  it('polls whenever it is woken while leasing takes long', async () => {
    const { promise: leased, resolve } = Promise.withResolvers<boolean>()
    let polls = 0
    const loop = new DispatchLoop(
      () => leased,
      async () => void polls++,
      failed,
    )
    loop.start()
    for (let wake = 0; wake < 3; wake++) {
      await atRest()
      jest.advanceTimersByTime(3)
      await turnOfLoop()
      loop.wake()
      await turnOfLoop()
    }
    expect(polls).toBe(4)
    resolve(false)
    await turnOfLoop()
    void loop.stop()
  })

  it('goes on after failures of leasing and of a poll, and reports both', async () => {
    const errors: unknown[] = []
    const fail = async (): Promise<never> => {
      throw new Error('no database')
    }
    const loop = new DispatchLoop(fail, fail, (error) => errors.push(error))
    loop.start()
    for (let turns = 0; errors.length < 4 && turns < 1_000; turns++) {
      await turnOfLoop()
      jest.advanceTimersByTime(100)
    }
    expect(errors).toHaveLength(4)
    void loop.stop()
  })
})
