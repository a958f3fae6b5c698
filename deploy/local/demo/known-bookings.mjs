// STATE_DIR/demo-bookings.json: the latest snapshot of every booking the demo has published, by reservation id; it
// replaces the database of a booking engine.
import { join } from 'node:path'
import { readWhole, writeWhole } from '../machine/files.mjs'

const file = (stateDir) => join(stateDir, 'demo-bookings.json')

/** All bookings known, or undefined before the seed. */
export const knownBookings = (stateDir) => readWhole(file(stateDir), undefined)

/** Adds or replaces bookings. */
export function remember(stateDir, bookings) {
  const known = knownBookings(stateDir) ?? {}
  for (const booking of bookings) known[booking.reservation_id] = booking
  writeWhole(file(stateDir), known)
}
