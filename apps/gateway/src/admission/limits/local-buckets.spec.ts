import { LocalBuckets } from './local-buckets.js'

describe('a bucket of this process', () => {
  it('starts with its burst, grows at its rate, and never exceeds the burst', () => {
    let now = 0
    const buckets = new LocalBuckets(() => now * 1000)
    const taken = (at: number) => {
      now = at
      const takes = Array.from({ length: 100 }, () => buckets.take('a', { per_minute: 600, burst: 50 }))
      return takes.filter(({ passes }) => passes).length
    }
    expect([taken(0), taken(0)]).toEqual([50, 0])
    expect([taken(99), taken(100)]).toEqual([0, 1])
    expect(taken(2_100)).toBe(20)
    expect(taken(60_000)).toBe(50)
  })
})
