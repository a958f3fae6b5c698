import type { Booking, BookingEvent } from '@connectivity/contracts/booking-events'

/** A booking's state in the projection: what the fold of all its versions so far has come to. */
export interface BookingRecord {
  booking: Booking
  /** Whether any accepted version was confirmed: only then the booking enters the feed, and then for good. */
  confirmed: boolean
  /** The last good snapshot that could be seen, while the latest one is faulty. */
  kept: Booking | null
  /** Place of the latest version in the source's order. */
  offset: bigint
  /** When its event happened at the booking engine, ms; null when that was not said. */
  time: number | null
  /** Trace that the latest version is part of, where it is of one. */
  traceparent?: string | null
  /** Stored version that the fold began from, null for a booking not seen before. */
  replaces: number | null
}

/** What is stored of a booking; the snapshots are read only when a faulty version arrives. */
export interface StoredBooking {
  version: number
  confirmed: boolean
  snapshots?: { booking: Booking; kept: Booking | null }
}

/** One version of a booking at its place in the source's order. */
export interface BookingVersion extends BookingEvent {
  offset: bigint
  /** Trace that its message is part of, where it is of one. */
  traceparent?: string | null
}

/** Identifies a booking; reservation ids are unique within their property. */
export const bookingKey = ({ property_id, reservation_id }: Pick<Booking, 'property_id' | 'reservation_id'>): string =>
  `${property_id}\x1f${reservation_id}`

/** Running state of a fold. */
interface Fold {
  version: number
  confirmed: boolean
  /** The last good snapshot that could be seen. */
  visible: Booking | null
  record: BookingRecord | null
  replaces: number | null
}

type Judge = (booking: Booking) => boolean

/**
 * Takes the versions of one booking in the source's order on top of what is stored. A version lower than or equal to
 * one already taken is ignored. Versions overtaken within a batch are folded, not skipped: whether the booking was ever
 * confirmed and what its last good lines were comes out the same however the messages fall into batches.
 * @param isGood whether a snapshot can be shown as a reservation
 * @returns the new state, or null when nothing was newer
 */
export function foldBooking(
  stored: StoredBooking | undefined,
  versions: readonly BookingVersion[],
  isGood: Judge,
): BookingRecord | null {
  const fold = startOf(stored, isGood)
  for (const version of versions) {
    if (version.booking.version > fold.version) take(fold, version, isGood)
  }
  return fold.record
}

function startOf(stored: StoredBooking | undefined, isGood: Judge): Fold {
  if (!stored) return { version: -Infinity, confirmed: false, visible: null, record: null, replaces: null }
  const { version, confirmed, snapshots } = stored
  const visible = confirmed && snapshots ? lastGoodOf(snapshots, isGood) : null
  return { version, confirmed, visible, record: null, replaces: version }
}

function take(fold: Fold, { booking, offset, time, traceparent }: BookingVersion, isGood: Judge): void {
  fold.version = booking.version
  fold.confirmed ||= booking.status === 'confirmed'
  const good = isGood(booking)
  fold.record = {
    booking,
    confirmed: fold.confirmed,
    kept: good ? null : fold.visible,
    offset,
    time,
    traceparent,
    replaces: fold.replaces,
  }
  if (good) fold.visible = fold.confirmed ? booking : null
}

const lastGoodOf = ({ booking, kept }: NonNullable<StoredBooking['snapshots']>, isGood: Judge): Booking | null =>
  isGood(booking) ? booking : kept
