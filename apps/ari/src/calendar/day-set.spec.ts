import fc from 'fast-check'
import { type Day, weekdayOf } from './calendar.js'
import { DaySet, HORIZON, isOn } from './day-set.js'

const TODAY = 20_777
const EVERY = 0b1111111
const FRIDAY = 0b0010000

/** @param days from today */
const setOf = (days: readonly number[]): DaySet =>
  days
    .map((day) => DaySet.of(TODAY, { from: TODAY + day, to: TODAY + day, weekdays: EVERY }))
    .reduce((all, one) => all.with(one), DaySet.none(TODAY))
const daysOf = (set: DaySet): number[] => all.filter((day) => set.has(TODAY + day))
const all = Array.from({ length: HORIZON + 1 }, (_, day) => day)

/** Days from today: any, and those of ranges that repeat by the week. */
const anyDays = fc
  .array(fc.record({ from: fc.nat(HORIZON), length: fc.oneof(fc.nat(10), fc.nat(HORIZON)), weekdays: fc.nat(EVERY) }), {
    maxLength: 4,
  })
  .map((ranges) => {
    const isIn = (day: number) =>
      ranges.some(({ from, length, weekdays }) => day >= from && day <= from + length && isOn(TODAY + day, weekdays))
    return all.filter(isIn)
  })

describe('a set of days', () => {
  it('holds today and the last day', () => {
    const set = setOf([0, HORIZON])
    expect(daysOf(set)).toEqual([0, HORIZON])
    expect([set.first, set.size]).toEqual([TODAY, 2])
    expect(DaySet.none(TODAY).first).toBeNull()
  })

  it('holds the days of a range that fall on days of the week', () => {
    const set = DaySet.of(TODAY, { from: TODAY, to: TODAY + HORIZON, weekdays: FRIDAY })
    expect(daysOf(set)).toEqual(all.filter((day) => weekdayOf(TODAY + day) === 4))
  })

  it('is compared and combined like any set', () => {
    fc.assert(
      fc.property(anyDays, anyDays, (one, other) => {
        const [a, b] = [new Set(one), new Set(other)]
        const [first, second] = [setOf(one), setOf(other)]
        expect(first.size).toBe(a.size)
        expect(first.first).toBe(one.length === 0 ? null : TODAY + one[0]!)
        expect(first.isWithin(second)).toBe(a.isSubsetOf(b))
        expect(first.meets(second)).toBe(!a.isDisjointFrom(b))
        expect(new Set(daysOf(first.with(second)))).toEqual(a.union(b))
        expect(new Set(daysOf(first.within(second)))).toEqual(a.intersection(b))
        expect(new Set(daysOf(first.without(second)))).toEqual(a.difference(b))
        expect([daysOf(first), daysOf(second)]).toEqual([one, other])
      }),
    )
  })

  it('is the same days as its ranges', () => {
    fc.assert(
      fc.property(anyDays, (days) => {
        const ranges = [...setOf(days).ranges()]
        const found = ranges.flatMap(({ from, to, weekdays }) =>
          all.filter((day) => TODAY + day >= from && TODAY + day <= to && isOn(TODAY + day, weekdays)),
        )
        expect(found).toEqual(days)
      }),
    )
  })

  it.each<[string, number[], [from: number, to: number][]]>([
    ['none', [], []],
    ['all', all, [[0, HORIZON]]],
    ['one a week', all.filter((day) => day % 7 === 3), [[3, 724]]],
    [
      'every second day',
      all.filter((day) => day % 2 === 1).slice(0, 8),
      [
        [1, 7],
        [9, 15],
      ],
    ],
    [
      'three days and one later',
      [0, 1, 2, 9, HORIZON],
      [
        [0, 2],
        [9, 9],
        [HORIZON, HORIZON],
      ],
    ],
  ])('has as few ranges as weeks allow: %s', (_what, days, expected) => {
    const ranges = [...setOf(days).ranges()].map(({ from, to }): [Day, Day] => [from - TODAY, to - TODAY])
    expect(ranges).toEqual(expected)
  })
})
