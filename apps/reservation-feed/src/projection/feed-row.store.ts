import { Injectable } from '@nestjs/common'
import type { Booking } from '@connectivity/contracts/booking-events'
import {
  bulkColumn,
  bulkRows,
  bulkValue,
  type Database,
  deleteBatch,
  queryRows,
  type Transaction,
} from '@connectivity/database'
import type { RenderedRow } from './rendered-row.js'
import type { StampKind } from '@connectivity/contracts/timeline'
import type { ShownChange } from './event-change.js'

/** A current row of a connection's feed. */
export interface FeedRow {
  kind: RenderedRow['kind']
  body: string
  /** For a problem row: the reservation as last served, null when it never was. */
  lastServed: string | null
}

/** A row with its new place. */
export interface StampedRow extends FeedRow {
  connectionId: string
  reservationId: string
  stamp: number
  /** Cause of the stamp, for the timeline. */
  stampKind: StampKind
  /** Names of the fields that changed, as in its event; null without an event. */
  changes: readonly string[] | null
  /** Change that caused the stamp; null if nothing changed that the partner sees as a reservation. */
  change: ShownChange | null
}

/** Identifies a row of a feed. */
export interface RowKey {
  connectionId: string
  reservationId: string
}

/** A row's key as one text; ids hold no unit separator. */
export const rowKey = ({ connectionId, reservationId }: RowKey): string => `${connectionId}\x1f${reservationId}`

type BookingIds = Pick<Booking, 'property_id' | 'reservation_id'>
type FoundRow = [
  connectionId: string,
  reservationId: string,
  kind: RenderedRow['kind'],
  body: string,
  lastServed: string | null,
]

/** Columns of a `FoundRow`. */
const FOUND = 'r.connection_id, r.reservation_id, r.kind, r.body, r.last_served'

/**
 * Joins the row `r` of a connection and of `wanted.reservation_id`. ORDER BY makes the planner use the primary key: for
 * a table that was small when it planned, it might choose the index of stamps and read the whole feed.
 */
const joinRow = (connectionId: string): string =>
  `JOIN LATERAL (SELECT * FROM feed_row f WHERE f.connection_id = ${connectionId} AND f.reservation_id >= wanted.reservation_id
                  ORDER BY f.reservation_id LIMIT 1) r ON r.reservation_id = wanted.reservation_id`

const byKey = (rows: readonly FoundRow[]): Map<string, FeedRow> =>
  new Map(
    rows.map(([connectionId, reservationId, kind, body, lastServed]) => [
      rowKey({ connectionId, reservationId }),
      { kind, body, lastServed },
    ]),
  )

/** Columns that `UPSERT` is given: name, type and value of a row. */
const GIVEN: readonly [name: string, type: string, valueOf: (row: StampedRow) => string | number | null][] = [
  ['connection_id', 'text', (row) => row.connectionId],
  ['reservation_id', 'text', (row) => row.reservationId],
  ['stamp', 'bigint', (row) => row.stamp],
  ['kind', 'text', (row) => row.kind],
  ['body', 'text', (row) => row.body],
  ['last_served', 'text', (row) => row.lastServed],
  ['change', 'text', (row) => row.change],
  ['stamp_kind', 'text', (row) => row.stampKind],
  ['changes', 'text', (row) => row.changes && JSON.stringify(row.changes)],
]

const UPSERT = `
  WITH given AS MATERIALIZED (
    SELECT * FROM ${bulkRows(GIVEN.map(([, type]) => type))} AS given (${GIVEN.map(([name]) => name).join(', ')})),
  recorded AS (
    INSERT INTO reservation_stamp (connection_id, reservation_id, stamp, kind, changes)
    SELECT connection_id, reservation_id, stamp, stamp_kind, changes FROM given)
  INSERT INTO feed_row AS r (connection_id, reservation_id, stamp, kind, body, last_served, change, created_stamp)
  SELECT connection_id, reservation_id, stamp, kind, body, last_served, change, CASE change WHEN 'created' THEN stamp END
    FROM given
  ON CONFLICT (connection_id, reservation_id) DO UPDATE
    SET stamp = excluded.stamp, kind = excluded.kind, body = excluded.body, last_served = excluded.last_served,
        change = excluded.change, created_stamp = coalesce(excluded.created_stamp, r.created_stamp)`

/** The read model: for each connection one row per reservation, its body the final JSON text. */
@Injectable()
export class FeedRowStore {
  /** The existing rows of a connection, by `rowKey`. */
  async find(tx: Transaction, connectionId: string, reservationIds: readonly string[]): Promise<Map<string, FeedRow>> {
    const rows = await queryRows<FoundRow>(tx, {
      name: 'rows-find',
      text: `SELECT ${FOUND} FROM unnest(${bulkColumn(2, 'text')}) AS wanted (reservation_id)
             ${joinRow('$1')}`,
      values: [connectionId, bulkValue(reservationIds)],
    })
    return byKey(rows)
  }

  /** The existing rows of bookings in the feeds of their properties' connections, by `rowKey`. */
  async ofBookings(tx: Transaction, bookings: readonly BookingIds[]): Promise<Map<string, FeedRow>> {
    const rows = await queryRows<FoundRow>(tx, {
      name: 'rows-of-bookings',
      text: `SELECT ${FOUND}
               FROM ${bulkRows(['text', 'text'])} AS wanted (property_id, reservation_id)
               JOIN feed_connection c USING (property_id)
               ${joinRow('c.connection_id')}`,
      values: [
        bulkValue(bookings.map(({ property_id }) => property_id)),
        bulkValue(bookings.map(({ reservation_id }) => reservation_id)),
      ],
    })
    return byKey(rows)
  }

  /**
   * Writes rows at their new places and into their timelines; sent along with the next statement. Their connections'
   * heads must be locked.
   */
  upsert(tx: Transaction, rows: readonly StampedRow[]): void {
    tx.defer({
      name: 'rows-upsert',
      text: UPSERT,
      values: GIVEN.map(([, , valueOf]) => bulkValue(rows.map(valueOf))),
    })
  }

  /**
   * Deletes a batch of rows of a closed connection.
   * @returns their number, 0 once none are left except those that another process is deleting
   */
  deleteSome(database: Database, connectionId: string): Promise<number> {
    return deleteBatch(database, 'feed_row', 'connection_id = $1', [connectionId])
  }
}
