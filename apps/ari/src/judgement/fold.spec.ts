import type { Assignment } from './assignment.js'
import { DaySet, isOn } from '../calendar/day-set.js'
import type { Fault } from './fault.js'
import { TargetFold } from './fold.js'

const TODAY = 20_000
const price = (value: string, pointer = ''): Assignment => ({ field: 'amount', occupancy: 0, value, pointer })

const EVERY_DAY = 0b1111111

/** @param days from today */
const setOf = (days: readonly number[]): DaySet =>
  days
    .map((day) => DaySet.of(TODAY, { from: TODAY + day, to: TODAY + day, weekdays: EVERY_DAY }))
    .reduce((all, one) => all.with(one), DaySet.none(TODAY))

/** Runs as day from, day to and amount. */
function folded(...updates: [days: number[], assignments: Assignment[]][]) {
  const fold = new TargetFold({ number: 0, roomId: 'rm', ratePlanId: 'rp' }, TODAY)
  const faults: Fault[] = []
  for (const [days, assignments] of updates) fold.add(setOf(days), assignments, faults)
  const runs = [...fold.runs()].map(({ from, to, given }) => [from - TODAY, to - TODAY, given.amount!.value])
  return { runs, cells: fold.cells, faults }
}

describe('the fold of updates', () => {
  it('joins consecutive days into runs and separates runs at gaps', () => {
    expect(folded([[0, 1, 2, 9, 730], [price('1')]])).toEqual({
      runs: [
        [0, 2, '1'],
        [9, 9, '1'],
        [730, 730, '1'],
      ],
      cells: 5,
      faults: [],
    })
  })

  it('keeps the first of two values and points at the later one', () => {
    const { runs, cells, faults } = folded([[0, 1], [price('1', '/first')]], [[1, 2], [price('2', '/later')]])
    expect(runs).toEqual([
      [0, 1, '1'],
      [2, 2, '2'],
    ])
    expect(cells).toBe(3)
    expect(faults).toMatchObject([{ pointer: '/later', code: 'conflicting_update' }])
  })

  it('joins days that repeat by the week', () => {
    const days = Array.from({ length: 700 }, (_, day) => day)
    const weekend = days.filter((day) => day % 7 < 2)
    const others = days.filter((day) => day % 7 >= 2)
    const { runs, cells } = folded([weekend, [price('2')]], [others, [price('1')]])
    expect(runs).toEqual([
      [0, 694, '2'],
      [2, 699, '1'],
    ])
    expect(cells).toBe(700)
  })

  it('gives every day the first value of each field', () => {
    const stay = (value: number): Assignment => ({ field: 'max_stay', occupancy: 0, value, pointer: '' })
    const fold = new TargetFold({ number: 0, roomId: 'rm', ratePlanId: 'rp' }, TODAY)
    const updates: [number[], Assignment[]][] = [
      [[0, 1, 2, 3], [price('1')]],
      [[2, 3, 4], [stay(7)]],
      [
        [3, 4, 5],
        [price('1'), stay(7)],
      ],
    ]
    for (const [days, assignments] of updates) fold.add(setOf(days), assignments, [])
    const byDay = Array.from({ length: 6 }, (_, day) =>
      [...fold.runs()]
        .filter(({ from, to, weekdays }) => from - TODAY <= day && day <= to - TODAY && isOn(TODAY + day, weekdays))
        .map(({ given }) => Object.values(given).map(({ value }) => value)),
    )
    expect(byDay).toEqual([[['1']], [['1']], [['1', 7]], [['1', 7]], [['1', 7]], [['1', 7]]])
  })

  it('accepts as many repetitions of a value as a body can hold', () => {
    const many = Array.from({ length: 66_000 }, () => price('1'))
    expect(folded([[0, 1], many], [[2, 3], [price('2')]])).toEqual({
      runs: [
        [0, 1, '1'],
        [2, 3, '2'],
      ],
      cells: 4,
      faults: [],
    })
  })
})
