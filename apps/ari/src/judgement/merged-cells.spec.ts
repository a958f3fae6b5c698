import type { Assignment, CellField } from './assignment.js'
import type { CellRun } from './fold.js'
import { type CellValues, MergedCells } from './merged-cells.js'

const EVERY_DAY = 0b1111111
/** Day 100 is a Saturday. */
const SATURDAY = 0b0100000

const series = { roomId: 'rm_1', ratePlanId: 'rp_1', occupancy: 0 }
const stored = (given: Partial<CellValues>): CellValues => ({
  ...{ availability: null, amount: null, currency: null },
  ...{ min_stay_arrival: null, min_stay_through: null, max_stay: null },
  ...{ closed_to_arrival: null, closed_to_departure: null, stop_sell: null },
  ...given,
})

const runOf = (given: Partial<Record<CellField, Assignment['value']>>, run: Partial<CellRun> = {}): CellRun => {
  const assignments = Object.entries(given).map(([field, value]) => {
    const assignment: Assignment = { field: field as CellField, occupancy: 0, value, pointer: `/${field}` }
    return [assignment.field, assignment] as const
  })
  return { series, target: 0, from: 100, to: 100, weekdays: EVERY_DAY, given: Object.fromEntries(assignments), ...run }
}
const writer = (revision: number) => ({ connectionId: 'con_1', revision, currency: 'EUR' })

describe('cells that calls are merged into', () => {
  it('keep absent fields, lose those that are null, and take the currency with the amount', () => {
    const cells = new MergedCells()
    cells.add(series, 100, stored({ amount: '9.00', currency: 'JPY', max_stay: 5, stop_sell: false }))
    expect(cells.merge([runOf({ max_stay: null, closed_to_arrival: true })], writer(1))).toBe(1)
    const [first] = cells.changed()
    expect(first).toMatchObject({
      values: stored({ amount: '9.00', currency: 'JPY', stop_sell: false, closed_to_arrival: true }),
    })
    cells.merge([runOf({ amount: '7.00' })], writer(2))
    expect(cells.changed()).toMatchObject([{ values: { amount: '7.00', currency: 'EUR' }, writer: { revision: 2 } }])
  })

  it('change by call, in order: a value that an earlier call gave changes nothing', () => {
    const cells = new MergedCells()
    expect(cells.merge([runOf({ amount: '7.00' }, { to: 102 })], writer(1))).toBe(3)
    expect(cells.merge([runOf({ amount: '7.00' }, { from: 102, to: 103 })], writer(2))).toBe(1)
    expect(cells.changed().map(({ day, writer: { revision } }) => [day, revision])).toEqual([
      [100, 1],
      [101, 1],
      [102, 1],
      [103, 2],
    ])
  })

  it('are those of the days of the week', () => {
    const cells = new MergedCells()
    expect(cells.merge([runOf({ amount: '7.00' }, { to: 113, weekdays: SATURDAY })], writer(1))).toBe(2)
    expect(cells.changed().map(({ day }) => day)).toEqual([100, 107])
  })

  it('are not made by clearing fields that were never set', () => {
    const cells = new MergedCells()
    expect(cells.merge([runOf({ max_stay: null, stop_sell: null })], writer(1))).toBe(0)
    expect(cells.changed()).toEqual([])
  })

  it('count once for all series of a target and day', () => {
    const cells = new MergedCells()
    const perOccupancy = [1, 2].map((occupancy) => runOf({ amount: '5.00' }, { series: { ...series, occupancy } }))
    const other = runOf({ amount: '5.00' }, { series: { ...series, roomId: 'rm_2' }, target: 1 })
    expect(cells.merge([...perOccupancy, other], writer(1))).toBe(2)
    expect(cells.changed()).toHaveLength(3)
  })

  it('contradict a run that, merged, leaves a minimum stay above the maximum', () => {
    const cells = new MergedCells()
    cells.add(series, 101, stored({ min_stay_arrival: 4 }))
    const run = runOf({ max_stay: 3, min_stay_through: 3 }, { to: 102 })
    expect(cells.contradictions([run])).toEqual([{ run, arrival: true, through: false }])
    cells.merge([runOf({ min_stay_arrival: null }, { from: 101, to: 101 })], writer(1))
    expect(cells.contradictions([run])).toEqual([])
  })
})
