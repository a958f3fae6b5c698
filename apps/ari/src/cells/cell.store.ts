import { Injectable } from '@nestjs/common'
import { queryRows, type Transaction } from '@connectivity/database'
import type { CellRun } from '../judgement/fold.js'
import { cellFields, givenCells, merged, RUN_PARAMETERS, runParameters } from './given-cells.store.js'
import type { SeriesNumbers } from '../judgement/series.js'
import type { Contradiction } from '../judgement/stay-faults.js'

/** Writer and revision of a write. */
export interface Writing {
  propertyId: string
  connectionId: string
  timezone: string
  /** The property's new revision if any cell changes. */
  revision: number
  /** Currency of every amount; null if there is none. */
  currency: string | null
}

const [CURRENCY, CONNECTION, REVISION, PROPERTY, TIMEZONE] = [1, 2, 3, 4, 5].map((n) => `$${RUN_PARAMETERS + n}`)

const columns = [...cellFields, 'currency']
const after = (stored: 'stored' | 'nothing'): string[] => [
  ...cellFields.map((field) => merged(field, stored)),
  `CASE WHEN given.amount IS NULL THEN ${stored === 'stored' ? 'stored.currency' : 'NULL'} ELSE ${CURRENCY}::text END`,
]
const changes = `(${columns.map((name) => `stored.${name}`).join(', ')}) IS DISTINCT FROM (${after('stored').join(', ')})`
/** SQL condition: the cell has a value; clearing fields that were never set creates no cell. */
const says = `num_nonnulls(${after('nothing').join(', ')}) > 0`
/** Counts cells, because several series may be parts of one cell. */
const distinctCells = `count(DISTINCT target::bigint * 1000000 + (date - date '1970-01-01'))::integer`

const compare = `
  WITH ${givenCells},
  changing AS (
    SELECT given.target, given.date
      FROM given LEFT JOIN cell AS stored ON stored.series_id = given.series_id AND stored.date = given.date
     WHERE CASE WHEN stored.series_id IS NULL THEN ${says} ELSE ${changes} END)
  SELECT ${distinctCells} FROM changing`

const write = `
  WITH ${givenCells},
  written AS (
    MERGE INTO cell AS stored USING given ON stored.series_id = given.series_id AND stored.date = given.date
    WHEN MATCHED AND ${changes} THEN UPDATE SET
      ${columns.map((name, index) => `${name} = ${after('stored')[index]}`).join(', ')},
      connection_id = ${CONNECTION}, revision = ${REVISION}
    WHEN NOT MATCHED AND ${says} THEN
      INSERT (series_id, date, ${columns.join(', ')}, connection_id, revision)
      VALUES (given.series_id, given.date, ${after('nothing').join(', ')}, ${CONNECTION}, ${REVISION})
    RETURNING given.target, stored.date),
  raised AS (
    UPDATE property SET revision = ${REVISION}, timezone = ${TIMEZONE}
     WHERE property_id = ${PROPERTY} AND EXISTS (SELECT FROM written))
  SELECT ${distinctCells} FROM written`

const contradictions = `
  WITH ${givenCells},
  after AS (
    SELECT run, ${merged('min_stay_arrival', 'stored')} AS arrival, ${merged('min_stay_through', 'stored')} AS through,
           ${merged('max_stay', 'stored')} AS most
      FROM given LEFT JOIN cell AS stored ON stored.series_id = given.series_id AND stored.date = given.date)
  SELECT run, coalesce(bool_or(arrival > most), false), coalesce(bool_or(through > most), false)
    FROM after WHERE greatest(arrival, through) > most GROUP BY run`

/** Availability, rates and restrictions by day. Callers read the property's revision before a write or comparison. */
@Injectable()
export class CellStore {
  /** Returns the runs that, merged with stored cells, leave a cell with a minimum stay above its maximum stay. */
  async contradictions(tx: Transaction, runs: readonly CellRun[], numbers: SeriesNumbers): Promise<Contradiction[]> {
    const rows = await queryRows<[number, boolean, boolean]>(tx, {
      name: 'cells-contradictions',
      text: contradictions,
      values: runParameters(runs, numbers),
    })
    return rows.map(([run, arrival, through]) => ({ run: runs[run]!, arrival, through }))
  }

  /**
   * Writes the cells that differ, and if any does, raises the property's revision. The property must be locked.
   * @returns number of cells that changed
   */
  async write(
    tx: Transaction,
    runs: readonly CellRun[],
    numbers: SeriesNumbers,
    { currency, connectionId, revision, propertyId, timezone }: Writing,
  ): Promise<number> {
    const values = [...runParameters(runs, numbers), currency, connectionId, revision, propertyId, timezone]
    const [row] = await queryRows<[number]>(tx, { name: 'cells-write', text: write, values })
    return row![0]
  }

  /** @returns number of cells that writing the runs would change */
  async compare(
    tx: Transaction,
    runs: readonly CellRun[],
    numbers: SeriesNumbers,
    currency: string | null,
  ): Promise<number> {
    const values = [...runParameters(runs, numbers), currency]
    const [row] = await queryRows<[number]>(tx, { name: 'cells-compare', text: compare, values })
    return row![0]
  }
}
