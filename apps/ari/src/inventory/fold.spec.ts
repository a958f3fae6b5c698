import type { Assignment } from './assignment.js'
import type { Fault } from './fault.js'
import { TargetFold } from './fold.js'

const TODAY = 20_000
const price = (value: string, pointer = ''): Assignment => ({ field: 'amount', occupancy: 0, value, pointer })

/** Runs as day from, day to and amount. */
function folded(...updates: [days: number[], assignments: Assignment[]][]) {
  const fold = new TargetFold({ number: 0, roomId: 'rm', ratePlanId: 'rp' }, TODAY)
  const faults: Fault[] = []
  for (const [days, assignments] of updates) {
    fold.add(
      days.map((day) => TODAY + day),
      assignments,
      faults,
    )
  }
  const runs = [...fold.runs()].map(({ from, to, given }) => [from - TODAY, to - TODAY, given.get('amount')!.value])
  return { runs, cells: fold.cells, faults }
}

describe('the fold of updates', () => {
  it('joins consecutive days into runs and separates runs at gaps', () => {
    expect(folded([[0, 1, 2, 5, 730], [price('1')]])).toEqual({
      runs: [
        [0, 2, '1'],
        [5, 5, '1'],
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
