import { Injectable } from '@nestjs/common'
import { bulkColumn, bulkRows, bulkText, bulkValue, queryRows, textOf, type Transaction } from '@connectivity/database'
import type { Day } from '../calendar/calendar.js'
import { cellFields } from './given-cells.store.js'
import type { LockedProperty, PropertyRun, StoredCell } from './locked-property.js'
import type { CellValues, ChangedCell } from '../judgement/merged-cells.js'

type RaisedProperty = Pick<LockedProperty, 'propertyId' | 'timezone' | 'revision'>

/** A cell to store, with the number of its series. */
export type NumberedCell = ChangedCell & { seriesNumber: number }

const columns: (keyof CellValues)[] = [...cellFields, 'currency']
const columnTypes = [
  ...['integer', 'numeric', 'smallint', 'smallint', 'smallint', 'boolean', 'boolean', 'boolean'],
  'text',
]
const runTypes = ['text', 'text', 'text', 'integer', 'integer', 'integer']
const EPOCH = `date '1970-01-01'`

/** OFFSET 0 makes the planner use both columns of the key. Without it, PostgreSQL reads every day of the series. */
const read = `
  SELECT place::integer, series.series_id, stored.date - ${EPOCH}, ${columns.map((name) => `stored.${name}`).join(', ')}
    FROM unnest(${runTypes.map((type, index) => bulkColumn(index + 1, type)).join(', ')})
         WITH ORDINALITY AS run (property_id, room_id, rate_plan_id, occupancy, from_day, to_day, place)
    JOIN series ON series.property_id = run.property_id AND series.room_id = run.room_id
     AND series.rate_plan_id = coalesce(run.rate_plan_id, '') AND series.occupancy = run.occupancy
    LEFT JOIN LATERAL (
      SELECT * FROM cell
       WHERE cell.series_id = series.series_id AND cell.date BETWEEN ${EPOCH} + from_day AND ${EPOCH} + to_day
      OFFSET 0) AS stored ON true`

const changedTypes = ['integer', 'integer', ...columnTypes, 'text', 'bigint']
const write = `
  WITH raised AS (
    UPDATE property SET revision = given.revision, timezone = ${textOf('given.timezone')}
      FROM ${bulkRows(['text', 'json', 'bigint'], changedTypes.length + 1)} AS given (property_id, timezone, revision)
     WHERE property.property_id = given.property_id)
  INSERT INTO cell (series_id, date, ${columns.join(', ')}, connection_id, revision)
  SELECT series_id, ${EPOCH} + day, ${columns.join(', ')}, connection_id, revision
    FROM ${bulkRows(changedTypes)}
      AS changed (series_id, day, ${columns.join(', ')}, connection_id, revision)
  ON CONFLICT (series_id, date) DO UPDATE SET
    ${[...columns, 'connection_id', 'revision'].map((name) => `${name} = excluded.${name}`).join(', ')}`

/** Reads and writes the cells of a group of small calls. Its properties must be locked. */
@Injectable()
export class GroupCellStore {
  /** Reads the stored cells of the runs; a cell is returned for each run that covers it. */
  async read(tx: Transaction, runs: readonly PropertyRun[]): Promise<StoredCell[]> {
    const column = (value: (run: PropertyRun) => string | number | null) => bulkValue(runs.map(value))
    type Row = [place: number, seriesNumber: number, day: Day | null, ...values: CellValues[keyof CellValues][]]
    const rows = await queryRows<Row>(tx, {
      name: 'group-read',
      text: read,
      values: [
        column(({ propertyId }) => propertyId),
        column(({ series }) => series.roomId),
        column(({ series }) => series.ratePlanId),
        column(({ series }) => series.occupancy),
        column(({ from }) => from),
        column(({ to }) => to),
      ],
    })
    return rows.map(([place, seriesNumber, day, ...values]) => ({
      run: runs[place - 1]!,
      seriesNumber,
      cell: day === null ? null : { day, values: valuesOf(values) },
    }))
  }

  /** Stores the changed cells and the revisions of their properties; sent along with the next statement. */
  write(tx: Transaction, changed: readonly NumberedCell[], raised: readonly RaisedProperty[]): void {
    if (changed.length === 0) return
    const column = (value: (cell: NumberedCell) => CellValues[keyof CellValues]) => bulkValue(changed.map(value))
    tx.defer({
      name: 'group-write',
      text: write,
      values: [
        column(({ seriesNumber }) => seriesNumber),
        column(({ day }) => day),
        ...columns.map((name) => column(({ values }) => values[name])),
        column(({ writer }) => writer.connectionId),
        column(({ writer }) => writer.revision),
        bulkValue(raised.map(({ propertyId }) => propertyId)),
        bulkText(raised.map(({ timezone }) => timezone)),
        bulkValue(raised.map(({ revision }) => revision)),
      ],
    })
  }
}

const valuesOf = (values: readonly CellValues[keyof CellValues][]): CellValues =>
  Object.fromEntries(columns.map((name, index) => [name, values[index]])) as CellValues
