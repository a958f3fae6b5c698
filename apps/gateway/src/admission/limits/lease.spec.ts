import { CALL } from './gcra.js'
import { type Lease, leaseSize, spend } from './lease.js'

const SECOND = 1_000_000
const limit = { per_minute: 60, burst: 40 }
const lease = (given: Partial<Lease> = {}): Lease => ({
  limit,
  id: 1,
  level: 10 * CALL,
  unspent: 3 * CALL,
  askedAt: 0,
  cameAt: 0,
  ...given,
})

describe('a lease', () => {
  it('passes as many calls as it holds, and reports the bucket without its unspent calls', () => {
    const taken = lease()
    expect([0, 0, 0, 0].map((time) => spend(taken, limit, time))).toEqual([
      { passes: true, used: 8 * CALL },
      { passes: true, used: 9 * CALL },
      { passes: true, used: 10 * CALL },
      null,
    ])
  })

  it('drains with the bucket, so that its calls do not come on top of a full burst', () => {
    const fast = { per_minute: 600, burst: 40 }
    const taken = lease({ limit: fast, level: 5 * CALL, unspent: 4 * CALL })
    // After 0.35 s, 3.5 of 5 calls have drained: the remaining 1.5 calls all belong to the lease.
    expect(spend(taken, fast, 0.35 * SECOND)).toEqual({ passes: true, used: CALL })
    expect(spend(taken, fast, 0.35 * SECOND)).toBeNull()
  })

  it('ends a second after it was requested', () => {
    expect(spend(lease({ cameAt: 0.5 * SECOND }), limit, 0.999 * SECOND)).not.toBeNull()
    expect(spend(lease({ cameAt: 0.5 * SECOND }), limit, SECOND)).toBeNull()
  })

  it('ends when the limit is changed', () => {
    expect(spend(lease(), { per_minute: 60, burst: 41 }, 0)).toBeNull()
    expect(spend(lease(), { per_minute: 61, burst: 40 }, 0)).toBeNull()
  })

  it.each([
    [60, 60, 8],
    [600, 60, 8],
    [60_000, 1_000, 250],
    [60_000, 2_000, 250],
    [6_000, 600, 25],
    [600, 20, 5],
    [1_000_000, 1_000_000, 4_167],
    [1, 1, 1],
  ])('for %d calls a minute with a burst of %d holds %d calls', (per_minute, burst, calls) => {
    expect(leaseSize({ per_minute, burst })).toBe(calls)
  })
})
