import { Injectable } from '@nestjs/common'
import { bulkColumn, bulkValue, Database, queryRows } from '@connectivity/database'
import { MOST_WAITING } from '../delivery-status/delivery-status.store.js'
import type { FeedState } from '../projection/feed-state.js'

/** Figures about a connection's feed for operators. Stamps in ms. */
export interface FeedFacts {
  connectionId: string
  /** Delay of the last live change, from the booking engine until it was visible, ms; null before the first. */
  lag: number | null
  /** Stamp up to which the partner has processed everything; null before the first poll. */
  processedTo: number | null
  waiting: number
  atRisk: number
  /** Problem rows. */
  unresolved: number
  /** When a proof last matched. */
  provenAt: Date | null
}

type FactsRow = [string, string | null, string | null, number, Date | null, number, number]

/** Most connections that need attention in one answer. */
const MOST_NEEDING = 10_000

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

  /** Connections with reservations at risk or unresolved ones. */
  async needing(): Promise<string[]> {
    const rows = await queryRows<[string]>(this.database, {
      text: `SELECT connection_id FROM feed_progress WHERE at_risk > 0
              UNION SELECT connection_id FROM feed_row WHERE kind = 'problem' LIMIT ${MOST_NEEDING}`,
    })
    return rows.map(([connectionId]) => connectionId)
  }

  /** Facts about the connections that the feed knows. */
  async of(connectionIds: readonly string[]): Promise<FeedFacts[]> {
    const rows = await queryRows<FactsRow>(this.database, {
      text: `SELECT c.connection_id, c.last_lag_ms, p.processed_to, coalesce(p.at_risk, 0), m.found_at, w.waiting,
                    (SELECT count(*)::integer FROM feed_row u
                      WHERE u.connection_id = c.connection_id AND u.kind = 'problem')
               FROM feed_connection c
               LEFT JOIN feed_progress p USING (connection_id)
               LEFT JOIN proof m ON m.connection_id = c.connection_id AND m.result = 'match'
              CROSS JOIN LATERAL (SELECT count(*)::integer AS waiting FROM (
                SELECT FROM feed_row r
                 WHERE r.connection_id = c.connection_id AND r.stamp > coalesce(p.processed_to, -1) LIMIT ${MOST_WAITING}) first) w
              WHERE c.connection_id = ANY (${bulkColumn(1, 'text')})`,
      values: [bulkValue(connectionIds)],
    })
    return rows.map(([connectionId, lag, processedTo, atRisk, provenAt, waiting, unresolved]) => ({
      connectionId,
      lag: lag === null ? null : Number(lag),
      processedTo: processedTo === null ? null : Number(processedTo),
      waiting,
      atRisk,
      unresolved,
      provenAt,
    }))
  }
}
