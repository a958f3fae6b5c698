import { Injectable } from '@nestjs/common'
import { MAX_TIMELINE_ENTRIES, type RecordedChange } from '@connectivity/contracts/timeline'
import { bulkRows, bulkValue, type Queryable, queryRows } from '@connectivity/database'

/** A page of the feed that held a reservation. */
export interface ServedPage {
  at: Date
  correlationId: string
  /** The reservation's stamp on the page, ms. */
  stamp: number
}

/**
 * A page holds every row between its first and its last stamp. It held the reservation if the stamp lies between them
 * and the answer had ended before the next stamp was written.
 */
const FIND = `
  SELECT r.at, r.correlation_id, h.stamp
    FROM ${bulkRows(['bigint', 'bigint'], 2)} AS h (stamp, until_ms)
    JOIN logged_request r ON r.connection_id = $1 AND r.page_rows > 0 AND h.stamp BETWEEN r.page_from AND r.page_to
   WHERE r.authenticated AND r.status = 200 AND r.auth_method <> 'portal'
     AND (h.until_ms IS NULL OR extract(epoch FROM r.at) * 1000 + r.duration_ms <= h.until_ms)
   ORDER BY r.at DESC LIMIT ${MAX_TIMELINE_ENTRIES}`

/** Pages in the request log. */
@Injectable()
export class ServedPageStore {
  /** @param changes of one reservation, oldest first */
  async find(on: Queryable, connectionId: string, changes: readonly RecordedChange[]): Promise<ServedPage[]> {
    const untils = changes.map((_change, index) => changes[index + 1]?.recorded_at ?? null)
    const rows = await queryRows<[Date, string, string]>(on, {
      name: 'served-pages',
      text: FIND,
      values: [connectionId, bulkValue(changes.map(({ stamp }) => stamp)), bulkValue(untils)],
    })
    return rows.map(([at, correlationId, stamp]) => ({ at, correlationId, stamp: Number(stamp) }))
  }
}
