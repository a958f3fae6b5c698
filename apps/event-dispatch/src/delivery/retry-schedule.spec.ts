import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { MAX_ATTEMPTS, PATIENCE, retryGap } from './retry-schedule.js'

/** The schedule that the interface promises. */
const SECONDS = [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200, 43_200, 43_200, 43_200, 43_200]
const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Longest attempt, and longest pause of the breaker before it, ms. */
const ATTEMPT_AND_PAUSE = 15_000 + HOUR / 4
/** The greatest number below 1. */
const ALMOST_ONE = 1 - Number.EPSILON / 2

/** All gaps of a round of retries, ms. */
const gaps = (random: number, retryAfterSeconds: number | null = null): number[] =>
  SECONDS.map((_, index) => retryGap(index + 1, retryAfterSeconds, random)!)
const sum = (times: readonly number[]): number => times.reduce((total, time) => total + time)

describe('the gaps between attempts', () => {
  it('are those of the interface: 15 attempts over three days and a part of the fourth', () => {
    expect(gaps(0)).toEqual(SECONDS.map((seconds) => seconds * 1_000))
    expect(MAX_ATTEMPTS).toBe(15)
    expect(retryGap(MAX_ATTEMPTS, null, 0)).toBeNull()
    for (const random of [0, ALMOST_ONE]) expect(Math.floor(sum(gaps(random)) / DAY)).toBe(3)
  })

  it('are those of the guide', () => {
    const guide = readFileSync(new URL('../../../../docs/guides/events.md', import.meta.url), 'utf8')
    const [, listed] = /tried again after (.*), then 12 h five times: 15 attempts/.exec(guide)!
    const unit: Record<string, number> = { s: 1, min: 60, h: 3_600 }
    const seconds = listed!.split(', ').map((gap) => Number(gap.split(' ')[0]) * unit[gap.split(' ')[1]!]!)
    expect([...seconds, ...Array<number>(5).fill(43_200)]).toEqual(SECONDS)
  })

  it('grow by up to 15 % jitter and never shrink', () => {
    expect(gaps(ALMOST_ONE)).toEqual(SECONDS.map((seconds) => seconds * 1_150))
    const attempts = fc.integer({ min: 1, max: MAX_ATTEMPTS - 1 })
    fc.assert(
      fc.property(attempts, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (attempt, random) => {
        const seconds = SECONDS[attempt - 1]!
        const gap = retryGap(attempt, null, random)!
        expect(gap).toBeGreaterThanOrEqual(seconds * 1_000)
        expect(gap).toBeLessThanOrEqual(seconds * 1_150)
      }),
    )
  })

  it('end before a callback without a success is suspended, unless Retry-After lengthens them', () => {
    expect(sum(gaps(ALMOST_ONE)) + MAX_ATTEMPTS * ATTEMPT_AND_PAUSE).toBeLessThan(PATIENCE)
    expect(sum(gaps(0, (12 * HOUR) / 1_000))).toBeGreaterThan(PATIENCE)
  })

  it('are lengthened by Retry-After, up to 12 hours, and never shortened', () => {
    expect(retryGap(1, 60, 0)).toBe(60_000)
    expect(retryGap(3, 60, 0)).toBe(120_000)
    expect(retryGap(1, (10 * DAY) / 1_000, 0)).toBe(12 * HOUR)
    expect(retryGap(MAX_ATTEMPTS, 60, 0)).toBeNull()
  })
})
