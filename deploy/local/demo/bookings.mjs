// Bookings as the booking engine knows them (design.md §3): full snapshots, each change a higher version.
import { addDays, dateIn } from './dates.mjs'
import { guestOf, requestOf } from './guests.mjs'

const HOUR = 3600 * 1000
const DAY = 24 * HOUR

const nights = ({ check_in, check_out }) => (Date.parse(check_out) - Date.parse(check_in)) / DAY

/** Minor units as the decimal string that crosses service borders. */
function money(minor, currency) {
  if (currency === 'JPY') return String(minor)
  return `${Math.floor(minor / 100)}.${String(minor % 100).padStart(2, '0')}`
}

function lineOf({ snapshot }, { one, integer, chance }) {
  const room = one(snapshot.rooms)
  const plan = one(snapshot.rate_plans.filter(({ room_ids }) => room_ids.includes(room.room_id)))
  const dorm = room.kind === 'dorm'
  const quantity = dorm ? integer(1, 3) : chance(0.1) ? 2 : 1
  return {
    room_id: room.room_id,
    rate_plan_id: plan.rate_plan_id,
    rate_plan_name: plan.name,
    quantity,
    beds: dorm ? quantity : room.beds_per_unit,
    bed_type: room.bed_type,
    room_number: !dorm && chance(0.2) ? String(integer(101, 420)) : null,
    room_type: room.name,
    is_dorm: dorm,
    adults: dorm ? quantity : integer(1, room.occupancy.max_adults) * quantity,
    children: !dorm && chance(0.2) ? integer(0, room.occupancy.max_children) : 0,
  }
}

/** Fills in the fields derived from lines and dates: guests, total and paid amount. */
function priced(property, booking, paidShare) {
  const { currency } = property.snapshot
  const perNight = booking.accommodation.reduce((sum, line) => sum + property.nightly[line.room_id] * line.quantity, 0)
  const total = perNight * nights(booking)
  return {
    ...booking,
    guest_count: booking.accommodation.reduce((sum, { adults, children }) => sum + adults + children, 0),
    total_amount: money(total, currency),
    paid_amount: money(Math.floor(total * paidShare), currency),
  }
}

/** A new confirmed booking, version 1, made at `created_at`. */
export function newBooking(property, reservation_id, created_at, drawn) {
  const { chance, integer } = drawn
  const check_in = dateIn(integer(0, 120))
  const booking = {
    reservation_id,
    property_id: property.snapshot.property_id,
    version: 1,
    status: 'confirmed',
    check_in,
    check_out: addDays(check_in, integer(1, 7)),
    created_at: created_at.toISOString(),
    guest: guestOf(drawn),
    currency: property.snapshot.currency,
    accommodation: Array.from({ length: chance(0.12) ? 2 : 1 }, () => lineOf(property, drawn)),
    special_requests: requestOf(drawn),
  }
  return priced(property, booking, drawn.one([0, 0.2, 0.5, 1]))
}

/** The next version of a booking: a night longer, and the request that goes with it. */
export function modified(property, booking) {
  const longer = {
    ...booking,
    version: booking.version + 1,
    check_out: addDays(booking.check_out, 1),
    special_requests: 'One night longer than booked at first.',
  }
  return priced(property, longer, 0.5)
}

/** The next version of a booking: cancelled. */
export const cancelled = (booking) => ({ ...booking, version: booking.version + 1, status: 'cancelled' })

/** Every version of the bookings a property begins with, in the order in which they happened. */
export function firstBookings(property, drawn) {
  return Array.from({ length: property.bookings }, (_, index) => {
    const made = new Date(Date.now() - drawn.integer(HOUR, 45 * DAY))
    const versions = [newBooking(property, `RSV-${property.firstReservation + index}`, made, drawn)]
    if (drawn.chance(0.15)) versions.push(modified(property, versions.at(-1)))
    if (drawn.chance(0.12)) versions.push(cancelled(versions.at(-1)))
    return versions
  })
}
