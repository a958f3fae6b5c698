import { bulkNulls, bulkRows, bulkValue } from '@connectivity/database'
import { type Assignment, type CellField, flagFields, stayFields } from '../judgement/assignment.js'
import type { CellRun } from '../judgement/fold.js'
import { seriesKeyText, type SeriesNumbers } from '../judgement/series.js'

/** SQL type of the value given to a field; stored flags are booleans. */
const givenTypes: Record<CellField, string> = {
  availability: 'integer',
  amount: 'numeric',
  min_stay_arrival: 'smallint',
  min_stay_through: 'smallint',
  max_stay: 'smallint',
  closed_to_arrival: 'smallint',
  closed_to_departure: 'smallint',
  stop_sell: 'smallint',
}

/** Fields of a cell in the order of their columns and parameters. */
export const cellFields = Object.keys(givenTypes) as CellField[]

/** Value that clears a field; no stay or flag is ever given as 0. */
const CLEAR = 0

function parameterOf(assignment: Assignment | undefined): string | number | null {
  if (assignment === undefined) return null
  const { value } = assignment
  if (value === null) return CLEAR
  return typeof value === 'boolean' ? (value ? 2 : 1) : value
}

const columns = [
  ...['run', 'target', 'series_id', 'from_day', 'to_day', 'weekdays'].map((name) => [name, 'integer'] as const),
  ...cellFields.map((field) => [field, givenTypes[field]] as const),
]

/** Number of parameters `$1` … of `givenCells`. */
export const RUN_PARAMETERS = columns.length

/**
 * The common table expression `given`: every cell of the runs with its given values, null for fields left unchanged.
 * Materialized, because the planner would otherwise join stored cells to days and runs one by one and find them by
 * their date alone. The planner expects `<> 0` to keep most days, and `= 1` few. Weekdays are numbered as in
 * `weekdayOf`.
 */
export const givenCells = `
  given AS MATERIALIZED (
    SELECT run, target, series_id, date '1970-01-01' + day AS date, ${cellFields.join(', ')}
      FROM ${bulkRows(columns.map(([, type]) => type))} AS runs (${columns.map(([name]) => name).join(', ')}),
           generate_series(from_day, to_day) AS day
     WHERE weekdays & (1 << (day + 3) % 7) <> 0)`

/**
 * Values of the parameters of `givenCells`.
 * @param numbers of the series; one without a number has no stored cells
 */
export function runParameters(runs: readonly CellRun[], numbers: SeriesNumbers): string[] {
  const column = (value: (run: CellRun, index: number) => string | number | null) => bulkValue(runs.map(value))
  return [
    column((_run, index) => index),
    column(({ target }) => target),
    column(({ series }) => numbers.get(seriesKeyText(series)) ?? null),
    column(({ from }) => from),
    column(({ to }) => to),
    column(({ weekdays }) => weekdays),
    ...cellFields.map((field) =>
      runs.some(({ given }) => given[field] !== undefined)
        ? column(({ given }) => parameterOf(given[field]))
        : bulkNulls(runs.length),
    ),
  ]
}

/** SQL of a field's value after the call: `given` over `stored`; `given` alone for a new cell. */
export function merged(field: CellField, stored: 'stored' | 'nothing'): string {
  const before = stored === 'stored' ? `stored.${field}` : 'NULL'
  if (stayFields.some((stay) => stay === field)) return `nullif(coalesce(given.${field}, ${before}), ${CLEAR})`
  if (!flagFields.some((flag) => flag === field)) return `coalesce(given.${field}, ${before})`
  return `CASE given.${field} WHEN 2 THEN true WHEN 1 THEN false WHEN ${CLEAR} THEN NULL ELSE ${before} END`
}
