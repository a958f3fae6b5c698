import { Injectable } from '@nestjs/common'
import { Database, queryRows } from '@connectivity/database'
import { dateOf, type Day } from '../calendar/calendar.js'

/** Rows deleted per statement; bounds its duration. */
const BATCH = 5_000

/** Deletes past days. Calls never write them, so no call waits for it. */
@Injectable()
export class PruningStore {
  constructor(private readonly database: Database) {}

  /** Returns every property that has been written to, with the time zone of its calendar. */
  async properties(): Promise<{ propertyId: string; timezone: string }[]> {
    const rows = await queryRows<[string, string]>(this.database, {
      text: 'SELECT property_id, timezone FROM property ORDER BY property_id',
    })
    return rows.map(([propertyId, timezone]) => ({ propertyId, timezone }))
  }

  /**
   * Deletes one batch of the property's days before `first`.
   * @returns number of deleted rows, and whether there may be more
   */
  async prune(propertyId: string, first: Day): Promise<{ deleted: number; more: boolean }> {
    const { rowCount } = await this.database.query({
      name: 'cells-prune',
      text: `DELETE FROM cell WHERE (series_id, date) IN (
               SELECT series_id, passed.date FROM series, LATERAL (
                 SELECT date FROM cell WHERE cell.series_id = series.series_id AND date < $2 LIMIT ${BATCH}) AS passed
                WHERE property_id = $1 LIMIT ${BATCH})`,
      values: [propertyId, dateOf(first)],
    })
    const deleted = rowCount ?? 0
    return { deleted, more: deleted === BATCH }
  }
}
