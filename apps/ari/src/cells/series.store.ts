import { Injectable } from '@nestjs/common'
import { bulkRows, bulkValue, queryRows, type Transaction } from '@connectivity/database'
import { type SeriesKey, seriesKeyText, type SeriesNumbers } from '../judgement/series.js'

const given = `${bulkRows(['text', 'text', 'integer'], 2)} AS given (room_id, rate_plan_id, occupancy)`

const values = (propertyId: string, keys: readonly SeriesKey[]): string[] => [
  propertyId,
  bulkValue(keys.map(({ roomId }) => roomId)),
  bulkValue(keys.map(({ ratePlanId }) => ratePlanId)),
  bulkValue(keys.map(({ occupancy }) => occupancy)),
]

/** The numbers under which cells are stored; a number never changes. */
@Injectable()
export class SeriesStore {
  /** Returns the numbers of those series that have one: they have or had cells. */
  async find(tx: Transaction, propertyId: string, keys: readonly SeriesKey[]): Promise<Map<string, number>> {
    const rows = await queryRows<[string, string, number, number]>(tx, {
      name: 'series-find',
      text: `SELECT series.room_id, series.rate_plan_id, series.occupancy, series_id FROM ${given}
               JOIN series ON property_id = $1 AND series.room_id = given.room_id
                AND series.rate_plan_id = coalesce(given.rate_plan_id, '') AND series.occupancy = given.occupancy`,
      values: values(propertyId, keys),
    })
    return new Map(
      rows.map(([roomId, ratePlanId, occupancy, id]) => [seriesKeyText({ roomId, ratePlanId, occupancy }), id]),
    )
  }

  /**
   * Gives a number to each series that has none yet.
   * @param known the existing numbers of these keys, found after the property was locked
   * @returns the numbers of all keys
   */
  async ensure(
    tx: Transaction,
    propertyId: string,
    keys: readonly SeriesKey[],
    known: SeriesNumbers,
  ): Promise<SeriesNumbers> {
    const missing = keys.filter((key) => !known.has(seriesKeyText(key)))
    if (missing.length === 0) return known
    await tx.query({
      name: 'series-create',
      text: `INSERT INTO series (property_id, room_id, rate_plan_id, occupancy)
             SELECT $1, room_id, coalesce(rate_plan_id, ''), occupancy FROM ${given}`,
      values: values(propertyId, missing),
    })
    return this.find(tx, propertyId, keys)
  }
}
