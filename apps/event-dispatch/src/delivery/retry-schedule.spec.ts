import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { MAX_ATTEMPTS, retryGap } from './retry-schedule.js'

const SECONDS = [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200, 43_200, 43_200, 43_200, 43_200]
const HOUR = 3_600_000

describe('the gaps between attempts', () => {
  it('are 15 attempts over about three days', () => {
    const gaps = Array.from({ length: MAX_ATTEMPTS }, (_, index) => retryGap(index + 1, null, 0))
    expect(gaps).toEqual([...SECONDS.map((seconds) => seconds * 1_000), null])
    const hours = SECONDS.reduce((sum, seconds) => sum + seconds) / 3_600
    expect(hours).toBeGreaterThan(70)
  })

  it('are those of the guide', () => {
    const guide = readFileSync(new URL('../../../../docs/guides/events.md', import.meta.url), 'utf8')
    const [, listed] = /tried again after (.*), then 12 h five times: 15 attempts/.exec(guide)!
    const unit: Record<string, number> = { s: 1, min: 60, h: 3_600 }
    const seconds = listed!.split(', ').map((gap) => Number(gap.split(' ')[0]) * unit[gap.split(' ')[1]!]!)
    expect([...seconds, ...Array<number>(5).fill(43_200)]).toEqual(SECONDS)
  })

  it('grow by at most 20 % jitter and never shrink', () => {
    const attempts = fc.integer({ min: 1, max: MAX_ATTEMPTS - 1 })
    fc.assert(
      fc.property(attempts, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (attempt, random) => {
        const base = SECONDS[attempt - 1]! * 1_000
        const gap = retryGap(attempt, null, random)!
        expect(gap).toBeGreaterThanOrEqual(base)
        expect(gap).toBeLessThanOrEqual(base * 1.2)
      }),
    )
  })

  it('are lengthened by Retry-After, up to 12 hours, and never shortened', () => {
    expect(retryGap(1, 60, 0)).toBe(60_000)
    expect(retryGap(3, 60, 0)).toBe(120_000)
    expect(retryGap(1, 10 * 24 * 3_600, 0)).toBe(12 * HOUR)
    expect(retryGap(MAX_ATTEMPTS, 60, 0)).toBeNull()
  })
})
