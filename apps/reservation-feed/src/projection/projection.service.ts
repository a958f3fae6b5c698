import { Injectable } from '@nestjs/common'
import type { Booking } from '@connectivity/contracts/booking-events'
import type { Transaction } from '@connectivity/database'
import { bookingKey, type BookingRecord, type BookingVersion, foldBooking, type StoredBooking } from './booking-fold.js'
import { BookingStore } from './booking.store.js'
import { type FeedHead, FeedHeadStore } from './feed-head.store.js'
import { FeedRowStore } from './feed-row.store.js'
import { FeedWriter } from './feed-writer.service.js'
import { lockProperties } from './property-lock.store.js'
import { faultsOf } from './reservation-faults.js'

/** Arrived versions and stored states, by `bookingKey`. */
interface Known {
  histories: ReadonlyMap<string, BookingVersion[]>
  stored: ReadonlyMap<string, StoredBooking>
}

/** Turns booking events into rows of the feeds, within the transaction of the batch they came in. */
@Injectable()
export class Projection {
  constructor(
    private readonly bookings: BookingStore,
    private readonly heads: FeedHeadStore,
    private readonly rows: FeedRowStore,
    private readonly writer: FeedWriter,
  ) {}

  /**
   * @param versions of one partition, in order
   * @returns event time, ms, for each row of a live feed that has changed
   */
  async project(tx: Transaction, versions: readonly BookingVersion[]): Promise<number[]> {
    if (versions.length === 0) return []
    const properties = [...new Set(versions.map(({ booking }) => booking.property_id))]
    const histories = Map.groupBy(versions, ({ booking }) => bookingKey(booking))
    const bookings = firstOf(histories.values())
    // The locks come first, so that the rows read after them do not change.
    const [, locked, stored, existing] = await Promise.all([
      lockProperties(tx, properties, 'shared'),
      this.heads.lockOfProperties(tx, properties),
      this.bookings.versions(tx, bookings),
      this.rows.ofBookings(tx, bookings),
    ])
    const heads = await this.heads.withViews(tx, locked)
    const records = await this.fold(tx, { histories, stored }, heads)
    const visible = records.filter(({ confirmed }) => confirmed)
    this.bookings.upsert(tx, records)
    return this.writer.write(tx, heads, visible, existing).shown
  }

  /** New states in the order of their latest versions. */
  private async fold(
    tx: Transaction,
    { histories, stored }: Known,
    heads: readonly FeedHead[],
  ): Promise<BookingRecord[]> {
    const isGood = goodnessBy(heads)
    const faulty = [...histories.values()].filter(
      (history) => stored.has(bookingKey(history[0]!.booking)) && history.some(({ booking }) => !isGood(booking)),
    )
    const snapshots = faulty.length > 0 ? await this.bookings.snapshots(tx, firstOf(faulty)) : undefined
    const records = [...histories].flatMap(([key, history]) => {
      const known = stored.get(key)
      const before: StoredBooking | undefined = known && { ...known, snapshots: snapshots?.get(key) }
      return foldBooking(before, history, isGood) ?? []
    })
    return records.sort((a, b) => (a.offset < b.offset ? -1 : 1))
  }
}

const firstOf = (histories: Iterable<readonly BookingVersion[]>): Booking[] =>
  [...histories].map((history) => history[0]!.booking)

/**
 * Judge of snapshots: one is good if any connection of the property can show it, because their catalogs arrive one by
 * one and differ for a while. Without a catalog, rooms cannot be judged.
 */
function goodnessBy(heads: readonly FeedHead[]): (booking: Booking) => boolean {
  const byProperty = Map.groupBy(heads, ({ propertyId }) => propertyId)
  return (booking) => {
    const views = byProperty.get(booking.property_id)?.map(({ view }) => view) ?? [null]
    return views.some((view) => faultsOf(booking, view).length === 0)
  }
}
