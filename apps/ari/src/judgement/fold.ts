import type { Assignment, CellField } from './assignment.js'
import type { Day } from '../calendar/calendar.js'
import { type DayRange, DaySet } from '../calendar/day-set.js'
import type { Fault } from './fault.js'
import type { SeriesKey } from './series.js'

/** Days of one series that get the same values. */
export interface CellRun extends DayRange {
  series: SeriesKey
  /** Number of the room, or rate plan and room, within the call; together with the day it identifies the cell. */
  target: number
  given: Given
}

type Given = Readonly<Partial<Record<CellField, Assignment>>>

/** Days that get the same values. */
interface Part {
  days: DaySet
  given: Given
}

/** Values given to one field of one series. */
interface Column {
  field: CellField
  occupancy: number
  /** Assignments, each with the days that got their value from it; without conflicts a day's first assignment. */
  given: { assignment: Assignment; days: DaySet }[]
  /** Days that have a value. */
  taken: DaySet
  /** Days by value, for the first `indexed` of `given`; null until a call names a day twice, which most never do. */
  byValue: Map<Assignment['value'], DaySet> | null
  indexed: number
}

/**
 * All values that a call gives to the cells of one room, or of one rate plan in one room. Days are compared as sets:
 * 1 MiB can name the same days 50,000 times.
 */
export class TargetFold {
  private readonly columns = new Map<string, Column>()
  private readonly noDays: DaySet
  private touched: DaySet

  constructor(
    private readonly target: { number: number; roomId: string; ratePlanId: string | null },
    today: Day,
  ) {
    this.noDays = DaySet.none(today)
    this.touched = this.noDays
  }

  /** Adds an update's values; the later of two that differ for one field of one cell is a fault. */
  add(days: DaySet, assignments: readonly Assignment[], faults: Fault[]): void {
    for (const assignment of assignments) this.assign(days, assignment, faults)
    if (assignments.length > 0) this.touched = this.touched.with(days)
  }

  /** Number of cells. */
  get cells(): number {
    return this.touched.size
  }

  /** Number of prices: of each occupancy for each day. */
  get prices(): number {
    const amounts = this.columns.values().filter(({ field }) => field === 'amount')
    return amounts.reduce((sum, { taken }) => sum + taken.size, 0)
  }

  /** Yields the given values as runs: days in a row of one series that get the same values. */
  *runs(): Generator<CellRun> {
    const { number, roomId, ratePlanId } = this.target
    const bySeries = Map.groupBy(this.columns.values(), ({ occupancy }) => occupancy)
    for (const [occupancy, columns] of bySeries) {
      const series = { roomId, ratePlanId, occupancy }
      for (const { days, given } of this.partsOf(columns)) {
        for (const range of days.ranges()) yield { series, target: number, ...range, given }
      }
    }
  }

  private assign(days: DaySet, assignment: Assignment, faults: Fault[]): void {
    const column = this.column(assignment)
    const { given, taken } = column
    if (days.meets(taken) && differs(days, assignment, column)) faults.push(conflict(assignment))
    if (days.isWithin(taken)) return
    const fresh = days.without(taken)
    given.push({ assignment, days: fresh })
    column.taken = taken.with(fresh)
  }

  private column({ field, occupancy }: Assignment): Column {
    const key = `${occupancy} ${field}`
    const known = this.columns.get(key)
    if (known) return known
    const column: Column = {
      ...{ field, occupancy, given: [], taken: this.noDays },
      ...{ byValue: null, indexed: 0 },
    }
    this.columns.set(key, column)
    return column
  }

  /** Divides the days of a series by the values that they get. */
  private partsOf(columns: readonly Column[]): Part[] {
    const [{ field, given }] = columns as [Column]
    if (columns.length === 1) return given.map(({ assignment, days }) => ({ days, given: { [field]: assignment } }))
    const days = columns.reduce((all, { taken }) => all.with(taken), this.noDays)
    return columns.reduce<Part[]>(
      (parts, column) => parts.flatMap((part) => [...divided(part, column)]),
      [{ days, given: {} }],
    )
  }
}

/** Whether one of the days has another value. */
function differs(days: DaySet, { value }: Assignment, column: Column): boolean {
  const same = daysWith(value, column)
  if (!same) return true
  return !days.isWithin(same) && days.without(same).meets(column.taken)
}

function daysWith(value: Assignment['value'], column: Column): DaySet | undefined {
  const { given } = column
  const byValue = (column.byValue ??= new Map())
  for (; column.indexed < given.length; column.indexed++) {
    const { assignment, days } = given[column.indexed]!
    byValue.set(assignment.value, byValue.get(assignment.value)?.with(days) ?? days)
  }
  return byValue.get(value)
}

/** Divides a part by the values of one more field. */
function* divided({ days, given: before }: Part, { field, given, taken }: Column): Generator<Part> {
  for (let rest = days, day = rest.first; day !== null; day = rest.first) {
    const first = day
    const found = given.find((one) => one.days.has(first))
    const part = found ? rest.within(found.days) : rest.without(taken)
    yield { days: part, given: found ? { ...before, [field]: found.assignment } : before }
    rest = rest.without(part)
  }
}

const conflict = ({ pointer }: Assignment): Fault => {
  const message = 'The call gives this field of a cell two different values; keep one.'
  return { pointer, code: 'conflicting_update', message }
}
