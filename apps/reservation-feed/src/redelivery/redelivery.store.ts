import { Injectable } from '@nestjs/common'
import { bulkColumn, bulkValue, CommitSignal, type Database, queryRows, type Transaction } from '@connectivity/database'
import type { FeedState } from '../projection/feed-state.js'
import type { Selection } from './redelivery-selection.js'

/** Rows stamped in one transaction: a live change waits for at most one chunk. */
const CHUNK = 200
/** A connection pauses while its stamps lead the clock by more than this, ms. */
const LONGEST_LEAD = 2_000

/** A redelivery has chunks to be stamped. */
export const REDELIVERY_PLANNED = new CommitSignal('redelivery planned')

/** The connection whose reservations are requested. */
export interface RedeliveryTarget {
  connectionId: string
  propertyId: string
  state: FeedState
}

/** Rows to be stamped in one transaction. */
export interface RedeliveryChunk {
  connectionId: string
  externalPropertyId: string
  reservationIds: string[]
}

/** Rows that operators want delivered again: fixed on request, removed chunk by chunk as they are stamped. */
@Injectable()
export class RedeliveryStore {
  /** The connection whose rows are to be stamped again; null when its feed is unknown. */
  async target(tx: Transaction, connectionId: string): Promise<RedeliveryTarget | null> {
    const rows = await queryRows<[string, FeedState]>(tx, {
      text: 'SELECT property_id, state FROM feed_connection WHERE connection_id = $1',
      values: [connectionId],
    })
    return rows.map(([propertyId, state]) => ({ connectionId, propertyId, state }))[0] ?? null
  }

  /**
   * Fixes which rows of the connection are stamped again, in their order.
   * @returns their number
   */
  async plan(
    tx: Transaction,
    redeliveryId: string,
    { connectionId, propertyId }: RedeliveryTarget,
    selection: Selection,
  ): Promise<number> {
    const picked =
      'ids' in selection
        ? `SELECT reservation_id, stamp FROM feed_row
            WHERE connection_id = $2 AND reservation_id = ANY (${bulkColumn(3, 'text')})`
        : `SELECT r.reservation_id, r.stamp FROM feed_row r
             JOIN booking b ON b.property_id = $3 AND b.reservation_id = r.reservation_id
            WHERE r.connection_id = $2
              AND b.snapshot::json ->> 'check_in' BETWEEN coalesce($4, '0000-01-01') AND coalesce($5, '9999-12-31')`
    const rows = await queryRows<[size: number]>(tx, {
      text: `INSERT INTO redelivery_chunk (redelivery_id, chunk, connection_id, reservation_ids)
             SELECT $1, (place - 1) / ${CHUNK}, $2, array_agg(reservation_id ORDER BY place)
               FROM (SELECT reservation_id, row_number() OVER (ORDER BY stamp) AS place FROM (${picked}) picked) placed
              GROUP BY 2 RETURNING cardinality(reservation_ids)`,
      values:
        'ids' in selection
          ? [redeliveryId, connectionId, bulkValue(selection.ids)]
          : [redeliveryId, connectionId, propertyId, selection.from, selection.to],
    })
    tx.afterCommit(REDELIVERY_PLANNED)
    return rows.reduce((sum, [size]) => sum + size, 0)
  }

  /** Takes the oldest chunk whose connection is not too far ahead of the clock; other replicas take other chunks. */
  async take(tx: Transaction): Promise<RedeliveryChunk | null> {
    const rows = await queryRows<[string, string, string[]]>(tx, {
      name: 'redelivery-take',
      text: `DELETE FROM redelivery_chunk d USING feed_connection f
              WHERE f.connection_id = d.connection_id AND (d.redelivery_id, d.chunk) = (
                SELECT c.redelivery_id, c.chunk FROM redelivery_chunk c JOIN feed_connection h USING (connection_id)
                 WHERE h.last_stamp <= floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint + ${LONGEST_LEAD}
                 ORDER BY c.redelivery_id, c.chunk LIMIT 1 FOR UPDATE OF c SKIP LOCKED)
             RETURNING d.connection_id, f.external_property_id, d.reservation_ids`,
    })
    return (
      rows.map(([connectionId, externalPropertyId, reservationIds]) => ({
        connectionId,
        externalPropertyId,
        reservationIds,
      }))[0] ?? null
    )
  }

  /** Whether chunks of a redelivery wait; null: of any redelivery. */
  async waits(database: Database, redeliveryId: string | null): Promise<boolean> {
    const rows = await queryRows<[boolean]>(database, {
      text: 'SELECT EXISTS (SELECT FROM redelivery_chunk WHERE $1::text IS NULL OR redelivery_id = $1)',
      values: [redeliveryId],
    })
    return rows[0]![0]
  }
}
