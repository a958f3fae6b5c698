import fc from 'fast-check'
import { Concurrency } from './concurrency.js'

const succeed = (concurrency: Concurrency, count: number) => {
  for (let index = 0; index < count; index++) concurrency.record(true, 0)
}

describe('concurrency of a callback', () => {
  it('starts at 2 and doubles with each round of successes up to 16', () => {
    const concurrency = new Concurrency()
    const seen = [concurrency.current]
    for (const round of [2, 4, 8, 16]) {
      succeed(concurrency, round)
      seen.push(concurrency.current)
    }
    expect(seen).toEqual([2, 4, 8, 16, 16])
  })

  it('halves at a failure, once for all attempts in flight, then grows by one per round', () => {
    const concurrency = new Concurrency()
    succeed(concurrency, 14)
    for (let left = 15; left >= 0; left--) concurrency.record(false, left)
    expect(concurrency.current).toBe(8)
    succeed(concurrency, 8)
    expect(concurrency.current).toBe(9)
  })

  it('always stays between 2 and 16', () => {
    const attempts = fc.array(fc.tuple(fc.boolean(), fc.nat({ max: 15 })), { maxLength: 500 })
    fc.assert(
      fc.property(attempts, (outcomes) => {
        const concurrency = new Concurrency()
        for (const [ok, inFlight] of outcomes) {
          concurrency.record(ok, inFlight)
          expect(concurrency.current).toBeGreaterThanOrEqual(2)
          expect(concurrency.current).toBeLessThanOrEqual(16)
        }
      }),
    )
  })
})
