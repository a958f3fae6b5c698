// STATE_DIR/demo-bookings.json: the latest snapshot of every booking the demo has published, by reservation id; it
// replaces the database of a booking engine.
import { join } from 'node:path'
import { readWhole, writeWhole } from '../machine/files.ts'
import type { DemoBooking } from './bookings.ts'

type BookingsById = Record<string, DemoBooking>

const file = (stateDir: string): string => join(stateDir, 'demo-bookings.json')

/** All known bookings; undefined before the seed. */
export const knownBookings = (stateDir: string): BookingsById | undefined => readWhole<BookingsById>(file(stateDir))

/** Adds or replaces bookings. */
export function remember(stateDir: string, bookings: DemoBooking[]): void {
  const known = knownBookings(stateDir) ?? {}
  for (const booking of bookings) known[booking.reservation_id] = booking
  writeWhole(file(stateDir), known)
}
