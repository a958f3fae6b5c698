import { Injectable } from '@nestjs/common'
import type { BookingStatus } from '@connectivity/contracts/booking-events'
import { type Queryable, queryRows } from '@connectivity/database'
import type { FeedState } from '../projection/feed-state.js'
import type { Progress } from '../progress/progress.js'
import type { RiskBounds } from './risk-rules.js'

/** Greatest number of waiting rows shown; more are shown as this number. */
export const MOST_WAITING = 10_000
/** Most waiting rows whose dates are read, the oldest ones: about a second of database time. */
const MOST_LOOKED_AT = 100_000

/** Stored facts about a connection's deliveries. Stamps and times in ms. */
export interface StoredStatus {
  state: FeedState
  propertyId: string
  /** IANA name; empty before the first catalog. */
  timezone: string
  lastStamp: number
  /** Null before the first poll. */
  progress: Progress | null
  /** The last proof that matched. */
  proof: { provenAt: number; checkpoint: number } | null
  /** Database clock. */
  clock: number
}

/** Rows after a stamp. */
export interface WaitingRows {
  /** Number of rows; `MOST_WAITING + 1` means more than `MOST_WAITING`. */
  count: number
  /** Stamp of the first, ms. */
  oldest: number | null
}

/** A waiting row that is at risk. */
export interface RiskyRow {
  reservationId: string
  /** Day of arrival; null, like the status, for a problem. */
  checkIn: string | null
  status: BookingStatus | null
  stamp: number
}

/** Rows at risk among those that wait the longest. */
export interface RiskyRows {
  count: number
  /** Earliest arrival of the reservations among them. */
  earliestCheckIn: string | null
  /** The first of them, earliest arrival first. */
  first: RiskyRow[]
}

/** Selects the waiting rows of a connection. */
interface Waiting {
  connectionId: string
  propertyId: string
  /** Stamp up to which the partner has processed everything, ms; -1 before the first poll. */
  after: number
}

type StatusRow = [
  state: FeedState,
  propertyId: string,
  timezone: string | null,
  lastStamp: string,
  servedTo: string | null,
  processedTo: string | null,
  processedAt: Date | null,
  provenAt: Date | null,
  provenCheckpoint: string | null,
  clock: string,
]
type RiskRow = [number, string | null, string, string | null, BookingStatus | null, string]

/** SQL of the time zone; the previous release stores catalogs without the column. */
export const TIMEZONE = `coalesce(c.timezone, c.catalog::json ->> 'timezone')`

const STATUS = `
  SELECT c.state, c.property_id, ${TIMEZONE}, c.last_stamp, p.served_to, p.processed_to, p.processed_at, m.found_at,
         m.checkpoint, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
    FROM feed_connection c
    LEFT JOIN feed_progress p USING (connection_id)
    LEFT JOIN proof m ON m.connection_id = c.connection_id AND m.result = 'match'
   WHERE c.connection_id = $1`

/**
 * SQL of a date in the JSON text, found by splitting it: 6 µs a row, the cheapest way. Our own JSON has no white space,
 * and quotes inside strings are escaped.
 */
const dateOf = (name: string): string => `nullif(left(split_part(doc, '"${name}":"', 2), 10), '')`

const RISKS = `
  WITH waiting AS (
    SELECT reservation_id, stamp, kind, body FROM feed_row
     WHERE connection_id = $1 AND stamp > $2 AND stamp < greatest($3::bigint, $4::bigint) ORDER BY stamp LIMIT ${MOST_LOOKED_AT}),
  documents AS (
    SELECT reservation_id, stamp, kind, CASE kind WHEN 'problem' THEN (
             SELECT b.snapshot FROM booking b WHERE b.property_id = $5 AND b.reservation_id = waiting.reservation_id)
           ELSE body END AS doc
      FROM waiting),
  dated AS (
    SELECT reservation_id, stamp, kind = 'reservation' AS is_reservation, ${dateOf('check_in')} AS check_in,
           ${dateOf('check_out')} AS check_out, doc
      FROM documents),
  risky AS (
    SELECT reservation_id, stamp, is_reservation, check_in, substring(doc FROM '"status":"([a-z]+)"') AS status
      FROM dated WHERE stamp < $4 OR (stamp < $3 AND check_in <= $6 AND check_out >= $7))
  SELECT count(*) OVER ()::integer, min(check_in) FILTER (WHERE is_reservation) OVER (), reservation_id,
         CASE WHEN is_reservation THEN check_in END, CASE WHEN is_reservation THEN status END, stamp
    FROM risky
   ORDER BY check_in NULLS LAST, stamp LIMIT $8`

/** Reads the changes that a partner has not fetched yet. */
@Injectable()
export class DeliveryStatusStore {
  /** @returns null for a connection that the feed does not know yet */
  async find(on: Queryable, connectionId: string): Promise<StoredStatus | null> {
    const rows = await queryRows<StatusRow>(on, { name: 'delivery-status', text: STATUS, values: [connectionId] })
    return rows.map(statusOf)[0] ?? null
  }

  /** Rows with greater stamps, counted up to one more than `MOST_WAITING`. @param after stamp, ms */
  async waiting(on: Queryable, connectionId: string, after: number): Promise<WaitingRows> {
    const rows = await queryRows<[number, string | null]>(on, {
      name: 'delivery-waiting',
      text: `SELECT count(*)::integer, min(stamp) FROM (
               SELECT stamp FROM feed_row WHERE connection_id = $1 AND stamp > $2 ORDER BY stamp LIMIT ${MOST_WAITING + 1}) first`,
      values: [connectionId, after],
    })
    const [count, oldest] = rows[0]!
    return { count, oldest: oldest === null ? null : Number(oldest) }
  }

  /** @param most rows to name */
  async risks(
    on: Queryable,
    { connectionId, propertyId, after }: Waiting,
    { stampedBefore, stampedLongBefore, today, soon }: RiskBounds,
    most: number,
  ): Promise<RiskyRows> {
    const rows = await queryRows<RiskRow>(on, {
      name: 'delivery-risks',
      text: RISKS,
      values: [connectionId, after, stampedBefore, stampedLongBefore, propertyId, soon, today, most],
    })
    const first = rows.map(([, , reservationId, checkIn, status, stamp]) => ({
      reservationId,
      checkIn,
      status,
      stamp: Number(stamp),
    }))
    const [count = 0, earliestCheckIn = null] = rows[0] ?? []
    return { count, earliestCheckIn, first }
  }
}

function statusOf(row: StatusRow): StoredStatus {
  const [state, propertyId, timezone, lastStamp, servedTo, processedTo, processedAt, provenAt, checkpoint, clock] = row
  const processed = processedAt?.getTime() ?? null
  return {
    state,
    propertyId,
    timezone: timezone ?? '',
    lastStamp: Number(lastStamp),
    progress:
      processedTo === null
        ? null
        : { servedTo: Number(servedTo), processedTo: Number(processedTo), processedAt: processed },
    proof: provenAt && { provenAt: provenAt.getTime(), checkpoint: Number(checkpoint) },
    clock: Number(clock),
  }
}
