import type { CellField } from './assignment.js'
import type { Day } from '../calendar/calendar.js'
import { isOn } from '../calendar/day-set.js'
import type { CellRun } from './fold.js'
import { type SeriesKey, seriesKeyText } from './series.js'
import type { Contradiction } from './stay-faults.js'

/** Columns of a cell: the values of one series on one day. */
export type CellValues = Record<CellField | 'currency', number | string | boolean | null>

/** The call that writes cells. */
export interface CellWriter {
  connectionId: string
  revision: number
  /** Currency of every amount; null if there is none. */
  currency: string | null
}

interface Cell {
  series: SeriesKey
  day: Day
  /** null while no cell is stored. */
  values: CellValues | null
  /** null while no call of the group has changed the cell. */
  writer: CellWriter | null
}

/** A cell to store. */
export type ChangedCell = Cell & { values: CellValues; writer: CellWriter }

const nothing: CellValues = {
  availability: null,
  amount: null,
  currency: null,
  min_stay_arrival: null,
  min_stay_through: null,
  max_stay: null,
  closed_to_arrival: null,
  closed_to_departure: null,
  stop_sell: null,
}
const columns = Object.keys(nothing) as (keyof CellValues)[]

/** The cells of one property that a group of calls touches. Calls are merged into them one after the other. */
export class MergedCells {
  private readonly cells = new Map<string, Cell>()

  /** Adds a stored cell. */
  add(series: SeriesKey, day: Day, values: CellValues): void {
    this.cells.set(keyOf(series, day), { series, day, values, writer: null })
  }

  /** Returns the runs that, merged, leave a cell with a minimum stay above its maximum stay. */
  contradictions(runs: readonly CellRun[]): Contradiction[] {
    return runs.flatMap((run) => {
      const [arrival, through] = [this.exceeds(run, 'min_stay_arrival'), this.exceeds(run, 'min_stay_through')]
      return arrival || through ? [{ run, arrival, through }] : []
    })
  }

  /** Returns the number of cells that the runs change; several series may be parts of one cell. */
  merge(runs: readonly CellRun[], writer: CellWriter): number {
    const changed = new Set<number>()
    for (const run of runs) {
      for (const cell of this.cellsOf(run)) {
        const values = mergedValues(cell, run, writer.currency)
        const before = cell.values ?? nothing
        if (columns.every((name) => values[name] === before[name])) continue
        this.cells.set(keyOf(cell.series, cell.day), { ...cell, values, writer })
        changed.add(run.target * 1_000_000 + cell.day)
      }
    }
    return changed.size
  }

  /** The cells that calls have changed, as the last of them left them. */
  changed(): ChangedCell[] {
    return [...this.cells.values()].filter((cell): cell is ChangedCell => cell.writer !== null)
  }

  private exceeds(run: CellRun, field: 'min_stay_arrival' | 'min_stay_through'): boolean {
    return this.cellsOf(run).some((cell) => {
      const { [field]: least, max_stay: most } = mergedValues(cell, run, null)
      return least !== null && most !== null && least > most
    })
  }

  private cellsOf({ series, from, to, weekdays }: CellRun): Cell[] {
    const range = Array.from({ length: to - from + 1 }, (_, index) => from + index)
    const days = range.filter((day) => isOn(day, weekdays))
    return days.map((day) => this.cells.get(keyOf(series, day)) ?? { series, day, values: null, writer: null })
  }
}

const keyOf = (series: SeriesKey, day: Day): string => `${seriesKeyText(series)}\x1f${day}`

/** Values after the run: absent fields stay as they are, null clears. */
function mergedValues({ values }: Cell, { given }: CellRun, currency: string | null): CellValues {
  const after = { ...(values ?? nothing) }
  for (const { field, value } of Object.values(given)) after[field] = value
  if (given.amount) after.currency = currency
  return after
}
