import { setImmediate as turnOfLoop } from 'node:timers/promises'
import { jest } from '@jest/globals'
import { Pulse } from './pulse.js'

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }))
afterEach(() => void jest.useRealTimers())

/** Lets the pulse come to rest: the timer for its next look is the only one there is. */
async function atRest(): Promise<void> {
  while (jest.getTimerCount() === 0) await turnOfLoop()
}

describe('a pulse', () => {
  it.each([
    [100, 900],
    [15_000, 5_000],
  ])('after a look of %d ms rests for %d ms', async (took, rest) => {
    const looks: number[] = []
    const pulse = new Pulse(
      async () => {
        looks.push(performance.now())
        if (looks.length === 1) jest.advanceTimersByTime(took)
      },
      async () => undefined,
    )
    pulse.start()
    await atRest()
    jest.advanceTimersByTime(rest + 1)
    for (let turns = 0; looks.length < 2 && turns < 1_000; turns++) await turnOfLoop()
    expect(looks[1]! - looks[0]! - took).toBeCloseTo(rest, -1)
    void pulse.stop()
  })
})
