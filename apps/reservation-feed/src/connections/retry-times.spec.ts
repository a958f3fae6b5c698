import { RetryTimes } from './retry-times.js'

describe('retry times', () => {
  it('double from a second to a minute until forgotten', () => {
    let clock = 0
    const times = new RetryTimes(() => clock)
    for (const pause of [1, 2, 4, 8, 16, 32, 60, 60]) {
      times.note('k')
      clock += pause * 1000 - 1
      expect(times.mayTry('k')).toBe(false)
      clock += 1
      expect(times.mayTry('k')).toBe(true)
    }
    times.forget('k')
    times.note('k')
    clock += 1000
    expect([times.mayTry('k'), times.mayTry('other')]).toEqual([true, true])
  })
})
