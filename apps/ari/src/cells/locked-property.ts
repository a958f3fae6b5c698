import type { Day } from '../calendar/calendar.js'
import type { CellRun } from '../judgement/fold.js'
import { type CellValues, MergedCells } from '../judgement/merged-cells.js'
import { seriesKeyText } from '../judgement/series.js'

/** Days of a series of a property. */
export interface PropertyRun extends Pick<CellRun, 'series' | 'from' | 'to'> {
  propertyId: string
}

/** A stored cell, or a numbered series that has none on the days of the run. */
export interface StoredCell {
  /** The run that it was found for. */
  run: PropertyRun
  seriesNumber: number
  cell: { day: Day; values: CellValues } | null
}

/** A property that a group of calls has locked, with what the calls may change. */
export interface LockedProperty {
  propertyId: string
  timezone: string
  /** The stored revision. */
  before: number
  /** The revision after the calls that have been judged. */
  revision: number
  cells: MergedCells
  /** Numbers of its series. */
  numbers: ReadonlyMap<string, number>
}

/** @param stored everything that was read for the property */
export function lockedProperty(
  { revision, ...property }: Pick<LockedProperty, 'propertyId' | 'timezone' | 'revision'>,
  stored: readonly StoredCell[],
): LockedProperty {
  const cells = new MergedCells()
  for (const { run, cell } of stored) if (cell) cells.add(run.series, cell.day, cell.values)
  const numbers = new Map(stored.map(({ run, seriesNumber }) => [seriesKeyText(run.series), seriesNumber]))
  return { ...property, before: revision, revision, cells, numbers }
}
