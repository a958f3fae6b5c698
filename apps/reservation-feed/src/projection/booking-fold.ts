import type { Booking, BookingEvent } from '@connectivity/contracts/booking-events'

/** A booking's state in the projection: the result of folding all its versions so far. */
export interface BookingRecord {
  booking: Booking
  /** Whether any accepted version was confirmed: only then the booking enters the feed, permanently. */
  confirmed: boolean
  /** The last good visible snapshot, while the latest one is faulty. */
  kept: Booking | null
  /** Position of the latest version in the source's order. */
  offset: bigint
  /** Time of its event at the booking engine, ms; null when not given. */
  time: number | null
  /** Trace of the latest version, if it has one. */
  traceparent?: string | null
  /** Stored version that the fold started from, null for a new booking. */
  replaces: number | null
}

/** Stored state of a booking; the snapshots are read only when a faulty version arrives. */
export interface StoredBooking {
  version: number
  confirmed: boolean
  snapshots?: { booking: Booking; kept: Booking | null }
}

/** One version of a booking at its position in the source's order. */
export interface BookingVersion extends BookingEvent {
  offset: bigint
  /** Trace of its message, if it has one. */
  traceparent?: string | null
}

/** Identifies a booking; reservation ids are unique within their property. */
export const bookingKey = ({ property_id, reservation_id }: Pick<Booking, 'property_id' | 'reservation_id'>): string =>
  `${property_id}\x1f${reservation_id}`

/** Running state of a fold. */
interface Fold {
  version: number
  confirmed: boolean
  /** The last good visible snapshot. */
  visible: Booking | null
  record: BookingRecord | null
  replaces: number | null
}

type Judge = (booking: Booking) => boolean

/**
 * Applies the versions of one booking, in the source's order, to the stored state. Ignores a version lower than or
 * equal to one already applied. Versions overtaken within a batch are folded, not skipped: whether the booking was ever
 * confirmed and what its last good lines were does not depend on how the messages fall into batches.
 * @param isGood whether a snapshot can be shown as a reservation
 * @returns the new state, or null when no version was newer
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
