import { Injectable } from '@nestjs/common'
import type { Restrictions } from '@connectivity/contracts/ari'
import { Database, queryRows } from '@connectivity/database'

/** Most stored days held in memory for one call, about 3 MB. */
const MAX_DAYS = 20_000

/** Selects stored cells. */
export interface StateRange {
  /** The booking engine's id. */
  propertyId: string
  dateFrom: string
  dateTo: string
  /** null: all rooms; an unknown id: none. */
  roomId: string | null
  /** null: all rate plans; an unknown id: none. Rooms' own cells are always read. */
  ratePlanId: string | null
}

/** The stored values of one series for one day. */
export interface StoredDay {
  roomId: string
  /** Empty for the room itself. */
  ratePlanId: string
  occupancy: number
  date: string
  availability: number | null
  amount: string | null
  /** Currency of the amount. */
  currency: string | null
  restrictions: Restrictions
}

type Stay = number | null
type Flag = boolean | null
/** The columns of a cell, from its date on. */
export type Cell = [
  date: string,
  availability: number | null,
  ...price: [amount: string | null, currency: string | null],
  ...stays: [Stay, Stay, Stay],
  ...flags: [Flag, Flag, Flag],
]
type Row = [revision: string, ...series: [roomId: string | null, ratePlanId: string, occupancy: number], ...Cell]

/** The current state of a property's cells. */
@Injectable()
export class StateStore {
  constructor(private readonly database: Database) {}

  /**
   * Reads one snapshot: the revision, and the stored days by room, rate plan, date and occupancy.
   * @returns null if there are more days than may be held in memory at once
   */
  async read(range: StateRange): Promise<{ revision: number; days: StoredDay[] } | null> {
    const rows = await queryRows<Row>(this.database, {
      name: 'state-read',
      text: `SELECT property.revision, room_id, rate_plan_id, occupancy, date::text, availability, amount, currency,
                    min_stay_arrival, min_stay_through, max_stay, closed_to_arrival, closed_to_departure, stop_sell
               FROM property
               LEFT JOIN (series JOIN cell USING (series_id))
                 ON series.property_id = property.property_id AND date BETWEEN $2 AND $3
                AND ($4::text IS NULL OR room_id = $4) AND ($5::text IS NULL OR rate_plan_id IN ('', $5))
              WHERE property.property_id = $1
              ORDER BY room_id, rate_plan_id, date, occupancy LIMIT ${MAX_DAYS + 1}`,
      values: [range.propertyId, range.dateFrom, range.dateTo, range.roomId, range.ratePlanId],
    })
    if (rows.length > MAX_DAYS) return null
    const days = rows.flatMap((row) => storedDay(row) ?? [])
    return { revision: Number(rows[0]?.[0] ?? 0), days }
  }
}

/** @returns null for the row that holds only the revision */
const storedDay = ([, roomId, ratePlanId, occupancy, ...cell]: Row): StoredDay | null =>
  roomId === null ? null : storedCell({ roomId, ratePlanId, occupancy }, cell)

/** @param of the cell's series */
export function storedCell(of: Pick<StoredDay, 'roomId' | 'ratePlanId' | 'occupancy'>, cell: Cell): StoredDay {
  const [date, availability, amount, currency, ...restrictions] = cell
  const [min_stay_arrival, min_stay_through, max_stay, closed_to_arrival, closed_to_departure, stop_sell] = restrictions
  return {
    ...of,
    ...{ date, availability, amount, currency },
    restrictions: { min_stay_arrival, min_stay_through, max_stay, closed_to_arrival, closed_to_departure, stop_sell },
  }
}
