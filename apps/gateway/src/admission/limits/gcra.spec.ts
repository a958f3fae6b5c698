import fc from 'fast-check'
import { type Bucket, CALL, decide, takeFrom } from './gcra.js'

const SECOND = 1_000_000
const limit = { per_minute: 60, burst: 3 }

/** Makes calls at the given times in seconds and returns for each whether it passed. */
function calls(times: readonly number[], { per_minute, burst } = limit): boolean[] {
  let bucket: Bucket | undefined
  return times.map((time) => {
    const { passes, used } = takeFrom(bucket, { per_minute, burst }, time * SECOND)
    bucket = { used, at: time * SECOND }
    return passes
  })
}

describe('a rate limit', () => {
  it('passes exactly the burst at once, and then one call for each that has drained', () => {
    expect(calls([0, 0, 0, 0, 0.9, 1, 1, 2.5, 3, 3, 60, 60, 60, 60])).toEqual(
      // prettier-ignore
      [true, true, true, false, false, true, false, true, true, false, true, true, true, false],
    )
  })

  it('never passes more in any period than the burst plus the rate over that period', () => {
    const limits = fc.record({ per_minute: fc.integer({ min: 1, max: 6_000 }), burst: fc.integer({ min: 1, max: 50 }) })
    const gaps = fc.array(fc.integer({ min: 0, max: 3_000 }), { minLength: 1, maxLength: 200 })
    fc.assert(
      fc.property(limits, gaps, (given, milliseconds) => {
        let time = 0
        const times = milliseconds.map((gap) => (time += gap / 1000))
        const passed = times.filter((_, index) => calls(times, given)[index])
        const from = passed.length > 0 ? passed[0]! : 0
        expect(passed.length).toBeLessThanOrEqual(given.burst + ((time - from) * given.per_minute) / 60 + 1e-3)
      }),
      { numRuns: 50 },
    )
  })

  it('that is raised takes effect at once, however large the debt', () => {
    const spent = { used: 3 * CALL, at: 0 }
    expect(takeFrom(spent, { per_minute: 1, burst: 5 }, 0)).toEqual({ passes: true, used: 4 * CALL })
    // A debt of an hour under the old rate is one of a second under the new one.
    expect(takeFrom(spent, { per_minute: 180, burst: 3 }, SECOND)).toEqual({ passes: true, used: CALL })
  })

  it('that is lowered leaves no debt above its burst', () => {
    const spent = { used: 100 * CALL, at: 0 }
    expect(takeFrom(spent, limit, 0)).toEqual({ passes: false, used: 3 * CALL })
    expect(takeFrom(spent, limit, SECOND)).toEqual({ passes: true, used: 3 * CALL })
  })

  it('treats a clock that went back as one that stood still', () => {
    expect(takeFrom({ used: CALL, at: 9 * SECOND }, limit, 0)).toEqual({ passes: true, used: 2 * CALL })
  })
})

describe('the decision about a call', () => {
  it.each([
    [
      { passes: true, used: CALL },
      { remaining: 2, resetSeconds: 1 },
    ],
    [
      { passes: true, used: 2.4 * CALL },
      { remaining: 0, resetSeconds: 3 },
    ],
    [
      { passes: true, used: 3 * CALL },
      { remaining: 0, resetSeconds: 3, retryAfterSeconds: 1 },
    ],
    [
      { passes: false, used: 2.4 * CALL },
      { remaining: 0, resetSeconds: 3, retryAfterSeconds: 1 },
    ],
  ])('for %j is %j', (taken, said) => {
    expect(decide(taken, limit)).toMatchObject({ passes: taken.passes, ...said })
  })

  it('names a wait that is long enough for the next call to pass', () => {
    const slow = { per_minute: 7, burst: 2 }
    const full = takeFrom({ used: 2 * CALL, at: 0 }, slow, 0)
    const { retryAfterSeconds } = decide(full, slow)
    expect(takeFrom({ used: full.used, at: 0 }, slow, retryAfterSeconds * SECOND).passes).toBe(true)
    expect(takeFrom({ used: full.used, at: 0 }, slow, (retryAfterSeconds - 1) * SECOND).passes).toBe(false)
  })
})
