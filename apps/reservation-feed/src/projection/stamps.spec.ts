import fc from 'fast-check'
import { fillFloor, nextStamp } from './stamps.js'

describe('stamps', () => {
  it('increase strictly even if the clock stops or goes back', () => {
    const step = fc.record({ state: fc.constantFrom('filling' as const, 'live' as const), clock: fc.nat() })
    fc.assert(
      fc.property(fc.array(step), fc.nat(), (steps, floor) => {
        let lastStamp = 0
        for (const { state, clock } of steps) {
          const stamp = nextStamp({ state, clock, lastStamp, fillFloor: floor })
          expect(stamp).toBeGreaterThan(lastStamp)
          lastStamp = stamp
        }
      }),
    )
  })

  it('follow the clock while live and count up from the past while filling', () => {
    expect(nextStamp({ state: 'live', clock: 5000, lastStamp: 10, fillFloor: 0 })).toBe(5000)
    expect(nextStamp({ state: 'live', clock: 5000, lastStamp: 5000, fillFloor: 0 })).toBe(5001)
    expect(nextStamp({ state: 'filling', clock: 5000, lastStamp: 0, fillFloor: 3000 })).toBe(3001)
  })

  it('of a fill end before the time at which it began', () => {
    const clock = 1_000_000
    let lastStamp = 0
    const floor = fillFloor(lastStamp, clock, 5000)
    for (let row = 0; row < 5000; row++) lastStamp = nextStamp({ state: 'filling', clock, lastStamp, fillFloor: floor })
    expect(lastStamp).toBe(clock - 1000)
  })
})
