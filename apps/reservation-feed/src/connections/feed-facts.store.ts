import { Injectable } from '@nestjs/common'
import { bulkColumn, bulkValue } from '@connectivity/database/bulk'
import { Database } from '@connectivity/database/database'
import { queryRows } from '@connectivity/database/query-rows'
import type { FeedState } from './connection.store.js'

/** Figures about the feeds for operators. */
@Injectable()
export class FeedFactsStore {
  constructor(private readonly database: Database) {}

  /** Live feeds with the oldest last stamps, and their age in ms, oldest first. */
  async oldestHeads(limit: number): Promise<{ connectionId: string; age: number }[]> {
    const rows = await queryRows<[string, string]>(this.database, {
      text: `SELECT connection_id, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint - last_stamp
               FROM feed_connection WHERE state = 'live' AND last_stamp > 0 ORDER BY last_stamp LIMIT $1`,
      values: [limit],
    })
    return rows.map(([connectionId, age]) => ({ connectionId, age: Number(age) }))
  }

  /** Number of connections by the state of their feed. */
  async states(): Promise<Map<FeedState, number>> {
    const rows = await queryRows<[FeedState, number]>(this.database, {
      text: 'SELECT state, count(*)::integer FROM feed_connection GROUP BY state',
    })
    return new Map(rows)
  }

  /** Lag of the last live change, ms, from the booking engine to visibility, by connection; null before the first. */
  async lags(connectionIds: readonly string[]): Promise<Map<string, number | null>> {
    const rows = await queryRows<[string, string | null]>(this.database, {
      text: `SELECT connection_id, last_lag_ms FROM feed_connection WHERE connection_id = ANY (${bulkColumn(1, 'text')})`,
      values: [bulkValue(connectionIds)],
    })
    return new Map(rows.map(([connectionId, lag]) => [connectionId, lag === null ? null : Number(lag)]))
  }
}
