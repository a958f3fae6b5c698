import { Injectable } from '@nestjs/common'
import { bulkColumn, bulkValue, Database, queryRows, type Transaction } from '@connectivity/database'
import { seriesKeyText } from '../judgement/series.js'
import { type Cell, storedCell, type StateRange, type StoredDay } from './state.store.js'

/** A room, or a rate plan in a room, with its stored days. */
export interface TargetDays {
  roomId: string
  /** Empty for the room itself. */
  ratePlanId: string
  days: StoredDay[]
}

/** Series read at once: with 92 days about 4,600 cells, some milliseconds of this process. */
const AT_ONCE = 50

interface Series {
  seriesId: number
  roomId: string
  ratePlanId: string
  occupancy: number
}

/** The state of properties with more cells than one answer holds in memory, piece by piece. */
@Injectable()
export class LargeStateStore {
  constructor(private readonly database: Database) {}

  /**
   * Runs `work` on one snapshot of the state.
   * @param work gets the revision, and a function that returns the stored days of given targets in their order
   */
  async read(
    range: StateRange,
    work: (revision: number, daysOf: (targets: readonly Target[]) => AsyncIterable<TargetDays>) => Promise<void>,
  ): Promise<void> {
    await this.database.transaction(async (tx) => {
      tx.readSnapshot()
      const [revision, series] = [await revisionOf(tx, range), await seriesOf(tx, range)]
      await work(revision, (targets) => stored(tx, range, series, targets))
    })
  }
}

/** A requested room, or rate plan in a room. */
export type Target = Pick<TargetDays, 'roomId' | 'ratePlanId'>

async function revisionOf(tx: Transaction, { propertyId }: StateRange): Promise<number> {
  const text = 'SELECT revision FROM property WHERE property_id = $1'
  const rows = await queryRows<[string]>(tx, { name: 'large-state-revision', text, values: [propertyId] })
  return Number(rows[0]?.[0] ?? 0)
}

const keyOf = ({ roomId, ratePlanId }: Target): string => seriesKeyText({ roomId, ratePlanId, occupancy: 0 })

async function seriesOf(tx: Transaction, range: StateRange): Promise<Map<string, Series[]>> {
  const rows = await queryRows<[number, string, string, number]>(tx, {
    name: 'large-state-series',
    text: `SELECT series_id, room_id, rate_plan_id, occupancy FROM series
            WHERE property_id = $1 AND ($2::text IS NULL OR room_id = $2) AND ($3::text IS NULL OR rate_plan_id IN ('', $3))
            ORDER BY room_id, rate_plan_id, occupancy`,
    values: [range.propertyId, range.roomId, range.ratePlanId],
  })
  const all = rows.map(([seriesId, roomId, ratePlanId, occupancy]) => ({ seriesId, roomId, ratePlanId, occupancy }))
  return Map.groupBy(all, keyOf)
}

async function* stored(
  tx: Transaction,
  range: StateRange,
  series: ReadonlyMap<string, readonly Series[]>,
  targets: readonly Target[],
): AsyncGenerator<TargetDays> {
  const known = targets.filter((target) => series.has(keyOf(target)))
  for (let from = 0; from < known.length; from += AT_ONCE) {
    const some = known.slice(from, from + AT_ONCE)
    const cells = await cellsOf(
      tx,
      range,
      some.flatMap((target) => series.get(keyOf(target))!),
    )
    for (const target of some) yield { ...target, days: cells.get(keyOf(target)) ?? [] }
  }
}

async function cellsOf(
  tx: Transaction,
  { dateFrom, dateTo }: StateRange,
  series: readonly Series[],
): Promise<Map<string, StoredDay[]>> {
  const byId = new Map(series.map((one) => [one.seriesId, one]))
  const rows = await queryRows<[number, ...Cell]>(tx, {
    name: 'large-state-cells',
    text: `SELECT series_id, date::text, availability, amount, currency,
                  min_stay_arrival, min_stay_through, max_stay, closed_to_arrival, closed_to_departure, stop_sell
             FROM unnest(${bulkColumn(1, 'integer')}) WITH ORDINALITY AS wanted (series_id, place) JOIN cell USING (series_id)
            WHERE date BETWEEN $2 AND $3 ORDER BY date, place`,
    values: [bulkValue([...byId.keys()]), dateFrom, dateTo],
  })
  const days = rows.map(([seriesId, ...cell]) => {
    const { roomId, ratePlanId, occupancy } = byId.get(seriesId)!
    return storedCell({ roomId, ratePlanId, occupancy }, cell)
  })
  return Map.groupBy(days, keyOf)
}
