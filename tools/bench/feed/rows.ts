// Rows of feeds, inserted without bookings.
import type { Client } from 'pg'

/** Stamp of the first row, ms. */
export const FIRST = Date.parse('2026-01-01T00:00:00Z')
/** Time between two rows, ms. */
export const STEP = 1_000

/** Inserts `count` rows of about 800 bytes, the i-th of them into feed i mod `connections`. */
export async function fillFeeds(sql: Client, connections: number, from: number, count: number): Promise<void> {
  await sql.query(
    `INSERT INTO feed_row (connection_id, reservation_id, stamp, kind, body)
     SELECT 'con_' || i % $1, 'RSV-' || i, $2::bigint + i::bigint * $3, 'reservation', '{"reservation_id":"RSV-' || i || '","filler":"' || repeat('x', 760) || '"}'
       FROM generate_series($4::bigint, $5::bigint) i`,
    [connections, FIRST, STEP, from, count - 1],
  )
  await sql.query(
    `INSERT INTO feed_connection (connection_id, property_id, external_property_id, state, last_stamp)
     SELECT 'con_' || i, 'prop_' || i, 'PMS-1', 'live', $1 FROM generate_series(0, $2 - 1) i
     ON CONFLICT (connection_id) DO UPDATE SET last_stamp = excluded.last_stamp`,
    [FIRST + count * STEP, connections],
  )
  await sql.query('VACUUM ANALYZE feed_row')
}
