import { bulkColumn, bulkValue, type Queryable, queryRows } from '@connectivity/database'

/** A message of the outbox, ready for kafkajs. */
export interface OutboxRow {
  id: string
  topic: string
  key: string | Buffer | null
  value: string | Buffer
  headers?: Record<string, string>
  /** Size of the value, bytes, with 256 for key and headers. */
  bytes: number
}

type RawRow = [
  id: string,
  topic: string,
  key: string | null,
  value: string | null,
  headers: string | null,
  rawKey: Buffer | null,
  rawValue: Buffer | null,
  bytes: number,
]

/** PostgreSQL channel of the notification about new messages. */
export const OUTBOX_CHANNEL = 'outbox'

/** Wakes the replica that publishes. */
export const notifyOutbox = (on: Queryable): Promise<unknown> => on.query(`NOTIFY ${OUTBOX_CHANNEL}`)

const LIMIT = 500
/** Memory limit of one read: large messages are read in smaller numbers. */
const READ_BYTES = 16 * 1024 * 1024

function toOutboxRow([id, topic, key, value, headers, rawKey, rawValue, bytes]: RawRow): OutboxRow {
  const row: OutboxRow = { id, topic, key: key ?? rawKey, value: value ?? rawValue!, bytes }
  return headers === null ? row : { ...row, headers: JSON.parse(headers) as Record<string, string> }
}

/**
 * Reads the oldest messages, in order: at most 500 and, beyond the first, at most 16 MiB.
 * @returns `isAll`: the outbox holds no other messages
 */
export async function readOutbox(session: Queryable): Promise<{ rows: OutboxRow[]; isAll: boolean }> {
  const found = await queryRows<RawRow>(session, {
    name: 'outbox-read',
    text: `SELECT id, topic, key, value, headers, raw_key, raw_value, bytes FROM (
             SELECT o.id, o.topic, o.key, o.value, o.headers, d.key AS raw_key, d.value AS raw_value, size.bytes,
                    sum(size.bytes) OVER (ORDER BY o.id) - size.bytes AS before
               FROM (SELECT * FROM outbox WHERE parked_at IS NULL ORDER BY id LIMIT ${LIMIT}) o
               LEFT JOIN dead_letter d ON d.id = o.dead_letter_id
               CROSS JOIN LATERAL (SELECT coalesce(octet_length(o.value), octet_length(d.value)) + 256 AS bytes) size
           ) oldest WHERE before < ${READ_BYTES} ORDER BY id`,
  })
  const rows = found.map(toOutboxRow)
  const isAll = rows.length < LIMIT && rows.reduce((sum, { bytes }) => sum + bytes, 0) < READ_BYTES
  return { rows, isAll }
}

/** Removes published messages. */
export async function deleteFromOutbox(session: Queryable, rows: readonly OutboxRow[]): Promise<void> {
  await session.query({
    name: 'outbox-delete',
    text: `DELETE FROM outbox WHERE id = ANY (${bulkColumn(1, 'bigint')})`,
    values: [bulkValue(rows.map(({ id }) => id))],
  })
}

/** Reason why a message is not published: it is larger than its topic accepts. */
export type ParkReason = 'message_too_large'

/** Parks a message that its topic will never accept, so that those after it go on; it stays in the table. */
export async function parkInOutbox(session: Queryable, id: string, reason: ParkReason): Promise<void> {
  await session.query('UPDATE outbox SET parked_at = now(), parked_reason = $2 WHERE id = $1', [id, reason])
}

/** Parked messages by topic and reason; `unknown` when the release that parked them stored none. */
export async function countParked(on: Queryable): Promise<{ topic: string; reason: string; count: number }[]> {
  const rows = await queryRows<[string, string, number]>(on, {
    name: 'outbox-parked',
    text: `SELECT topic, coalesce(parked_reason, 'unknown') AS reason, count(*)::integer
             FROM outbox WHERE parked_at IS NOT NULL GROUP BY topic, reason`,
  })
  return rows.map(([topic, reason, count]) => ({ topic, reason, count }))
}

/** Most messages counted: enough to show a backlog. */
const COUNTED = 10_000

/** Number of unpublished messages without the parked ones, at most 10,000. */
export async function countWaiting(on: Queryable): Promise<number> {
  const rows = await queryRows<[number]>(on, {
    name: 'outbox-waiting',
    text: `SELECT count(*)::integer FROM (SELECT FROM outbox WHERE parked_at IS NULL LIMIT ${COUNTED}) waiting`,
  })
  return rows[0]![0]
}
