import { stayFields } from './assignment.js'
import type { Fault } from './fault.js'
import type { CellRun } from './fold.js'

/** A run with a cell whose `min_stay_arrival` or `min_stay_through` would exceed `max_stay`. */
export interface Contradiction {
  run: CellRun
  arrival: boolean
  through: boolean
}

/** Whether the run sets a minimum or maximum stay, and so can make the minimum exceed the maximum. */
export const givesStays = ({ given }: CellRun): boolean =>
  stayFields.some((field) => typeof given[field]?.value === 'number')

/** Returns a fault for each value of the call that causes a contradiction, once each; stored values have no pointer. */
export function stayFaults(contradictions: readonly Contradiction[]): Fault[] {
  const pointers = new Set<string>()
  for (const { run, arrival, through } of contradictions) {
    const shortest = [
      ...(arrival ? ['min_stay_arrival' as const] : []),
      ...(through ? ['min_stay_through' as const] : []),
    ]
    const given = shortest.flatMap((field) => run.given[field] ?? [])
    const blamed = given.length > 0 ? given : [run.given.max_stay!]
    for (const { pointer } of blamed) pointers.add(pointer)
  }
  const message = 'Together with the stored values of these days, the minimum stay would exceed max_stay.'
  return [...pointers].map((pointer) => ({ pointer, code: 'min_gt_max', message }))
}
