import { Injectable } from '@nestjs/common'
import type { Booking } from '@connectivity/contracts/booking-events'
import {
  bulkColumn,
  bulkRows,
  bulkValue,
  type Database,
  mustHold,
  queryRows,
  type Transaction,
} from '@connectivity/database'
import { bookingKey, type BookingRecord, type StoredBooking } from './booking-fold.js'
import type { BookingState } from './rendered-row.js'

type Key = Pick<Booking, 'property_id' | 'reservation_id'>

const keyColumns = (keys: readonly Key[]): string[] => [
  bulkValue(keys.map((key) => key.property_id)),
  bulkValue(keys.map((key) => key.reservation_id)),
]

const parseState = (snapshot: string, kept: string | null): BookingState => ({
  booking: JSON.parse(snapshot) as Booking,
  kept: kept === null ? null : (JSON.parse(kept) as Booking),
})

/**
 * Error: a booking arrived on two partitions at once (from a producer with another partitioner), so its versions were
 * folded onto a state that has been replaced.
 */
class Overtaken extends Error {
  override name = 'Overtaken'
}

/** SQL condition: every written state replaced the version from which it was folded. */
const ARE_AS_READ = `(SELECT array_agg(replaced ORDER BY property_id, reservation_id) FROM written) IS NOT DISTINCT FROM
                     (SELECT array_agg(replaces ORDER BY property_id, reservation_id) FROM given)`

/** Columns of the stored bookings, each row led by its `bookingKey`. */
async function stored<Columns extends unknown[]>(
  tx: Transaction,
  name: string,
  columns: string,
  keys: readonly Key[],
): Promise<[key: string, ...Columns][]> {
  const rows = await queryRows<[string, string, ...Columns]>(tx, {
    name,
    text: `SELECT b.property_id, b.reservation_id, ${columns}
             FROM ${bulkRows(['text', 'text'])} AS wanted (property_id, reservation_id)
             JOIN booking b USING (property_id, reservation_id)`,
    values: keyColumns(keys),
  })
  return rows.map(([property_id, reservation_id, ...rest]) => [bookingKey({ property_id, reservation_id }), ...rest])
}

/** The latest snapshot of every booking, by property: the source of every connection's feed. */
@Injectable()
export class BookingStore {
  /** Stored versions of the bookings, by `bookingKey`. */
  async versions(tx: Transaction, keys: readonly Key[]): Promise<Map<string, StoredBooking>> {
    const rows = await stored<[version: string, confirmed: boolean]>(
      tx,
      'booking-versions',
      'b.version, b.confirmed',
      keys,
    )
    return new Map(rows.map(([key, version, confirmed]) => [key, { version: Number(version), confirmed }]))
  }

  /** Snapshots of the bookings, by `bookingKey`. */
  async snapshots(tx: Transaction, keys: readonly Key[]): Promise<Map<string, BookingState>> {
    const rows = await stored<[snapshot: string, kept: string | null]>(
      tx,
      'booking-snapshots',
      'b.snapshot, b.kept',
      keys,
    )
    return new Map(rows.map(([key, snapshot, kept]) => [key, parseState(snapshot, kept)]))
  }

  /**
   * Writes new states, never over a higher version, in key order, so that two writers cannot deadlock; sent along with
   * the next statement.
   * @throws Overtaken from the transaction when another writer has changed one of them meanwhile: read and fold again
   */
  upsert(tx: Transaction, records: readonly BookingRecord[]): void {
    if (records.length === 0) return
    const statement = {
      name: 'booking-upsert',
      text: `WITH given AS MATERIALIZED (
               SELECT * FROM ${bulkRows(['text', 'text', 'bigint', 'boolean', 'bigint', 'text', 'text', 'bigint'])}
                 AS given (property_id, reservation_id, version, confirmed, source_offset, snapshot, kept, replaces)),
             written AS (
               INSERT INTO booking AS b (property_id, reservation_id, version, confirmed, source_offset, snapshot, kept)
               SELECT property_id, reservation_id, version, confirmed, source_offset, snapshot, kept
                 FROM given ORDER BY 1, 2
               ON CONFLICT (property_id, reservation_id) DO UPDATE
                 SET version = excluded.version, confirmed = excluded.confirmed OR b.confirmed,
                     source_offset = excluded.source_offset, snapshot = excluded.snapshot, kept = excluded.kept
               WHERE b.version < excluded.version
               RETURNING b.property_id, b.reservation_id, old.version AS replaced)
             SELECT ${mustHold(ARE_AS_READ)}`,
      values: [
        ...keyColumns(records.map(({ booking }) => booking)),
        bulkValue(records.map(({ booking }) => booking.version)),
        bulkValue(records.map(({ confirmed }) => confirmed)),
        bulkValue(records.map(({ offset }) => offset.toString())),
        bulkValue(records.map(({ booking }) => JSON.stringify(booking))),
        bulkValue(records.map(({ kept }) => kept && JSON.stringify(kept))),
        bulkValue(records.map(({ replaces }) => replaces)),
      ],
    }
    tx.defer(statement, { unmet: () => new Overtaken() })
  }

  /** Snapshots of some of a property's bookings in the given order, locked until the transaction ends. */
  async hold(tx: Transaction, propertyId: string, reservationIds: readonly string[]): Promise<BookingState[]> {
    const rows = await queryRows<[string, string, string | null]>(tx, {
      name: 'booking-hold',
      text: `SELECT reservation_id, snapshot, kept FROM booking
              WHERE property_id = $1 AND reservation_id = ANY (${bulkColumn(2, 'text')})
              ORDER BY reservation_id FOR SHARE`,
      values: [propertyId, bulkValue(reservationIds)],
    })
    const states = new Map(rows.map(([id, snapshot, kept]) => [id, parseState(snapshot, kept)]))
    return reservationIds.flatMap((id) => states.get(id) ?? [])
  }

  /** Number of a property's bookings that belong in the feed. */
  async countVisible(tx: Transaction, propertyId: string): Promise<number> {
    const { rows } = await tx.query<{ bookings: number }>(
      'SELECT count(*)::integer AS bookings FROM booking WHERE property_id = $1 AND confirmed',
      [propertyId],
    )
    return rows[0]!.bookings
  }

  /** Ids of a property's bookings that belong in the feed, in the source's order. */
  async visibleIds(database: Database, propertyId: string): Promise<string[]> {
    const { rows } = await database.query<{ reservation_id: string }>(
      'SELECT reservation_id FROM booking WHERE property_id = $1 AND confirmed ORDER BY source_offset, reservation_id',
      [propertyId],
    )
    return rows.map(({ reservation_id }) => reservation_id)
  }
}
