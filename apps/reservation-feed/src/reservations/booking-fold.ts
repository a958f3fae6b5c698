import type { Booking } from '@connectivity/contracts/booking-events'

/** A booking's state in the projection: what the fold of all its versions so far has come to. */
export interface BookingRecord {
  booking: Booking
  /** Whether any accepted version was confirmed: only then the booking enters the feed, and then for good. */
  confirmed: boolean
  /** The last good snapshot that could be seen, while the latest one is faulty. */
  kept: Booking | null
  /** Place of the latest version in the source's order. */
  offset: bigint
}

/** What is stored of a booking; the snapshots are read only when a faulty version arrives. */
export interface StoredBooking {
  version: number
  confirmed: boolean
  snapshots?: { booking: Booking; kept: Booking | null }
}

/** Identifies a booking; reservation ids are unique within their property. */
export const bookingKey = ({ property_id, reservation_id }: Pick<Booking, 'property_id' | 'reservation_id'>): string =>
  `${property_id}\x1f${reservation_id}`

/**
 * Takes the versions of one booking in the source's order on top of what is stored. A version lower than or equal to
 * one already taken is ignored. Versions overtaken within a batch are folded, not skipped: whether the booking was ever
 * confirmed and what its last good lines were comes out the same however the messages fall into batches.
 * @param isGood whether a snapshot can be shown as a reservation
 * @returns the new state, or null when nothing was newer
 */
export function foldBooking(
  stored: StoredBooking | undefined,
  versions: readonly { booking: Booking; offset: bigint }[],
  isGood: (booking: Booking) => boolean,
): BookingRecord | null {
  let record: BookingRecord | null = null
  let version = stored?.version ?? -Infinity
  let confirmed = stored?.confirmed ?? false
  let visible = confirmed && stored?.snapshots ? lastGoodOf(stored.snapshots, isGood) : null
  for (const { booking, offset } of versions) {
    if (booking.version <= version) continue
    version = booking.version
    confirmed ||= booking.status === 'confirmed'
    const good = isGood(booking)
    record = { booking, confirmed, kept: good ? null : visible, offset }
    if (good) visible = confirmed ? booking : null
  }
  return record
}

const lastGoodOf = (
  { booking, kept }: NonNullable<StoredBooking['snapshots']>,
  isGood: (booking: Booking) => boolean,
): Booking | null => (isGood(booking) ? booking : kept)
