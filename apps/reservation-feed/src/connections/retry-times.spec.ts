import { RetryTimes } from './retry-times.js'

describe('retry times', () => {
  it('double from a second to a minute until the work has succeeded and rests', () => {
    let clock = 0
    const times = new RetryTimes(() => clock)
    for (const pause of [1, 2, 4, 8, 16, 32, 60, 60]) {
      times.note('k')
      clock += pause * 1000 - 1
      expect(times.paused()).toEqual(['k'])
      clock += 1
      expect(times.paused()).toEqual([])
    }
    times.rest('k', 10)
    times.rest('l', 30)
    expect(times.paused()).toEqual(['k', 'l'])
    expect(times.soonest()).toBe(10)
    clock += 10
    expect(times.soonest()).toBe(20)
    clock += 20
    expect(times.soonest()).toBe(Infinity)
    expect(times.paused()).toEqual([])
    times.rest('k', 10)
    times.note('k')
    clock += 1000
    expect(times.paused()).toEqual([])
  })
})
