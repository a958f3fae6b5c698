import fc from 'fast-check'
import { growthOf, slopePerHour } from './growth.ts'

const MINUTE = 60_000
const series = (count: number, value: (index: number) => number) =>
  Array.from({ length: count }, (_, index) => ({ at: index * MINUTE, value: value(index) }))
const tolerance = { share: 0.1, least: 5 }

describe('growth', () => {
  it('is found in a leak, with its rate', () => {
    const leak = series(60, (index) => 100 + index * 2)
    expect(growthOf(leak, tolerance)).toMatchObject({ grows: true, perHour: 120 })
  })

  it('is not found in noise, in a sawtooth, or in a series that grows only at first', () => {
    const saw = series(60, (index) => 100 + (index % 10) * 8)
    const settling = series(60, (index) => 100 + Math.min(index, 15) * 20)
    for (const steady of [saw, settling]) expect(growthOf(steady, tolerance).grows).toBe(false)
    fc.assert(
      fc.property(fc.array(fc.double({ min: 100, max: 104, noNaN: true }), { minLength: 3 }), (values) => {
        expect(
          growthOf(
            series(values.length, (index) => values[index]!),
            tolerance,
          ).grows,
        ).toBe(false)
      }),
    )
  })

  it('by the floor, is found in a series that never falls back and not in one with higher peaks only', () => {
    const heap = (kept: number, swing: number) => series(60, (index) => 60 + kept * index + (index % 6) * swing)
    const byFloor = { ...tolerance, byFloor: true }
    expect(growthOf(heap(1, 10), byFloor).grows).toBe(true)
    const wilder = series(60, (index) => 60 + (index % 6) * index)
    expect([growthOf(wilder, tolerance).grows, growthOf(wilder, byFloor).grows]).toEqual([true, false])
  })

  it('is not found below the tolerance, by share or in total', () => {
    expect(
      growthOf(
        series(60, (index) => 1_000 + index),
        tolerance,
      ).grows,
    ).toBe(false)
    expect(
      growthOf(
        series(60, (index) => index / 20),
        tolerance,
      ).grows,
    ).toBe(false)
  })
})

describe('a slope', () => {
  it('is not moved by a few odd samples', () => {
    const odd = series(60, (index) => (index % 20 === 7 ? 10_000 : index))
    expect(slopePerHour(odd)).toBeCloseTo(60, 0)
  })

  it('is 0 for one sample', () => expect(slopePerHour(series(1, () => 5))).toBe(0))
})
