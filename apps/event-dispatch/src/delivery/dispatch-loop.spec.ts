import { setImmediate as turnOfLoop } from 'node:timers/promises'
import { jest } from '@jest/globals'
import { DispatchLoop } from './dispatch-loop.js'

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }))
afterEach(() => void jest.useRealTimers())

/** Waits until the loop rests: the only timer left is the one for its next look. */
async function atRest(): Promise<void> {
  while (jest.getTimerCount() === 0) await turnOfLoop()
}

describe('the loop of the dispatcher', () => {
  it.each([
    [100, 900],
    [15_000, 5_000],
  ])('after a look of %d ms, rests for %d ms', async (took, rest) => {
    const looks: number[] = []
    const loop = new DispatchLoop(
      async () => {
        looks.push(performance.now())
        if (looks.length === 1) jest.advanceTimersByTime(took)
      },
      async () => undefined,
    )
    loop.start()
    await atRest()
    jest.advanceTimersByTime(rest + 1)
    for (let turns = 0; looks.length < 2 && turns < 1_000; turns++) await turnOfLoop()
    expect(looks[1]! - looks[0]! - took).toBeCloseTo(rest, -1)
    void loop.stop()
  })
})
