// Bookings as the booking engine knows them: full snapshots, each change a higher version.
import type { Booking, BookingLine } from '@connectivity/contracts/booking-events'
import type { Room } from '@connectivity/contracts/property-events'
import { addDays, dateIn } from './dates.ts'
import { guestOf, requestOf } from './guests.ts'
import type { DemoProperty } from './properties.ts'
import type { Draw } from './random.ts'

const HOUR = 3600 * 1000
const DAY = 24 * HOUR

/** A line in a room of the property. */
interface DemoLine extends BookingLine {
  room_id: string
}

/** A booking whose rooms all exist. */
export interface DemoBooking extends Booking {
  accommodation: DemoLine[]
}

/** A booking without the fields that are derived from lines and dates. */
type UnpricedBooking = Omit<DemoBooking, 'guest_count' | 'total_amount' | 'paid_amount'>

const nights = ({ check_in, check_out }: UnpricedBooking): number =>
  (Date.parse(check_out) - Date.parse(check_in)) / DAY

/** Minor units as the decimal string that crosses service borders. */
function money(minor: number, currency: string): string {
  if (currency === 'JPY') return String(minor)
  return `${Math.floor(minor / 100)}.${String(minor % 100).padStart(2, '0')}`
}

/** Number of beds in a dorm, else of rooms. */
function quantityOf({ kind }: Room, { integer, chance }: Draw): number {
  if (kind === 'dorm') return integer(1, 3)
  return chance(0.1) ? 2 : 1
}

function lineOf({ snapshot }: DemoProperty, drawn: Draw): DemoLine {
  const { one, integer, chance } = drawn
  const room = one(snapshot.rooms)
  const plan = one(snapshot.rate_plans.filter(({ room_ids }) => room_ids.includes(room.room_id)))
  const dorm = room.kind === 'dorm'
  const quantity = quantityOf(room, drawn)
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
function priced(property: DemoProperty, booking: UnpricedBooking, paidShare: number): DemoBooking {
  const { currency } = property.snapshot
  const perNight = booking.accommodation.reduce((sum, line) => sum + property.nightly[line.room_id]! * line.quantity, 0)
  const total = perNight * nights(booking)
  return {
    ...booking,
    guest_count: booking.accommodation.reduce((sum, { adults, children }) => sum + adults + children, 0),
    total_amount: money(total, currency),
    paid_amount: money(Math.floor(total * paidShare), currency),
  }
}

/** A new confirmed booking, version 1, made at `created_at`. */
export function newBooking(property: DemoProperty, reservation_id: string, created_at: Date, drawn: Draw): DemoBooking {
  const { chance, integer } = drawn
  const check_in = dateIn(integer(0, 120))
  const booking: UnpricedBooking = {
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

/** The next version of a booking: a night longer, with a matching special request. */
export function modified(property: DemoProperty, booking: DemoBooking): DemoBooking {
  const longer = {
    ...booking,
    version: booking.version + 1,
    check_out: addDays(booking.check_out, 1),
    special_requests: 'One night longer than booked at first.',
  }
  return priced(property, longer, 0.5)
}

/** The next version of a booking: cancelled. */
export const cancelled = (booking: DemoBooking): DemoBooking => ({
  ...booking,
  version: booking.version + 1,
  status: 'cancelled',
})

/** Every version of the bookings a property begins with, in the order in which they happened. */
export function firstBookings(property: DemoProperty, drawn: Draw): DemoBooking[][] {
  return Array.from({ length: property.bookings }, (_, index) => {
    const made = new Date(Date.now() - drawn.integer(HOUR, 45 * DAY))
    let latest = newBooking(property, `RSV-${property.firstReservation + index}`, made, drawn)
    const versions = [latest]
    if (drawn.chance(0.15)) versions.push((latest = modified(property, latest)))
    if (drawn.chance(0.12)) versions.push(cancelled(latest))
    return versions
  })
}
