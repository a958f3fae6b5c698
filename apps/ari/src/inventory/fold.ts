import type { Assignment, CellField } from './assignment.js'
import type { Day } from './calendar.js'
import type { Fault } from './fault.js'
import type { SeriesKey } from './series.js'
import { HORIZON } from './update-days.js'

/** Consecutive days of one series that get the same values. */
export interface CellRun {
  series: SeriesKey
  /** Number of the room, or rate plan and room, within the call; together with the day it identifies the cell. */
  target: number
  from: Day
  /** Inclusive. */
  to: Day
  given: ReadonlyMap<CellField, Assignment>
}

/** Values given to one field of one series, by day. */
interface Column {
  field: CellField
  occupancy: number
  given: Assignment[]
  /** By day from today: 0 for none, else the index in `given` plus one. */
  at: Uint32Array
}

/** All values that a call gives to the cells of one room, or of one rate plan in one room. */
export class TargetFold {
  private readonly columns = new Map<string, Column>()
  private readonly touched = new Uint8Array(HORIZON + 1)

  constructor(
    private readonly target: { number: number; roomId: string; ratePlanId: string | null },
    private readonly today: Day,
  ) {}

  /** Adds an update's values; the later of two that differ for one field of one cell is a fault. */
  add(days: readonly Day[], assignments: readonly Assignment[], faults: Fault[]): void {
    for (const assignment of assignments) this.assign(days, assignment, faults)
    if (assignments.length > 0) for (const day of days) this.touched[day - this.today] = 1
  }

  /** Number of cells. */
  get cells(): number {
    return this.touched.reduce((sum, one) => sum + one, 0)
  }

  *runs(): Generator<CellRun> {
    const bySeries = Map.groupBy(this.columns.values(), ({ occupancy }) => occupancy)
    for (const [occupancy, columns] of bySeries) yield* this.runsOf(occupancy, columns)
  }

  private assign(days: readonly Day[], assignment: Assignment, faults: Fault[]): void {
    const { given, at } = this.column(assignment)
    const place = given.push(assignment)
    let conflict = false
    for (const day of days) {
      const earlier = at[day - this.today]!
      if (earlier === 0) at[day - this.today] = place
      else conflict ||= given[earlier - 1]!.value !== assignment.value
    }
    if (!conflict) return
    const message = 'The call gives this field of a cell two different values; keep one.'
    faults.push({ pointer: assignment.pointer, code: 'conflicting_update', message })
  }

  private column({ field, occupancy }: Assignment): Column {
    const key = `${occupancy} ${field}`
    const known = this.columns.get(key)
    if (known) return known
    const column: Column = { field, occupancy, given: [], at: new Uint32Array(HORIZON + 1) }
    this.columns.set(key, column)
    return column
  }

  private *runsOf(occupancy: number, columns: readonly Column[]): Generator<CellRun> {
    const { number, roomId, ratePlanId } = this.target
    const series = { roomId, ratePlanId, occupancy }
    const isEmpty = (day: number) => columns.every(({ at }) => at[day] === 0)
    const isSame = (one: number, other: number) => columns.every(({ at }) => at[one] === at[other])
    for (let first = 0, next = 0; first <= HORIZON; first = next) {
      next = first + 1
      if (isEmpty(first)) continue
      while (next <= HORIZON && isSame(first, next)) next++
      yield {
        series,
        target: number,
        from: this.today + first,
        to: this.today + next - 1,
        given: givenAt(columns, first),
      }
    }
  }
}

/** @param day from today */
function givenAt(columns: readonly Column[], day: number): Map<CellField, Assignment> {
  const found = new Map<CellField, Assignment>()
  for (const { field, given, at } of columns) {
    const assignment = given[at[day]! - 1]
    if (assignment) found.set(field, assignment)
  }
  return found
}
