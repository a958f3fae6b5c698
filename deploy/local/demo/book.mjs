// Publishes one change at a demo property and says how to observe it.
import { randomInt } from 'node:crypto'
import { Refusal } from '../machine/refusal.mjs'
import { publish } from './booking-engine.mjs'
import { cancelled, modified, newBooking } from './bookings.mjs'
import { knownBookings, remember } from './known-bookings.mjs'
import { properties, propertyOf } from './properties.mjs'
import { draw } from './random.mjs'

const drawn = draw(() => randomInt(2 ** 32) / 2 ** 32)

const numberOf = ({ reservation_id }) => Number(reservation_id.slice('RSV-'.length))

function nextBooking(property, bookings) {
  const number = Math.max(property.firstReservation, ...bookings.map(numberOf)) + 1
  return newBooking(property, `RSV-${number}`, new Date(), drawn)
}

function nextVersion(property, bookings, change) {
  const confirmed = bookings.filter(({ status }) => status === 'confirmed')
  if (confirmed.length === 0) throw new Refusal('No confirmed booking is left: npm run demo:book makes a new one.')
  return change(property, drawn.one(confirmed))
}

function choose(kind, property, bookings) {
  if (kind === 'modify') return nextVersion(property, bookings, modified)
  if (kind === 'cancel') return nextVersion(property, bookings, (_property, booking) => cancelled(booking))
  return nextBooking(property, bookings)
}

const DONE = {
  new: 'confirmed as a new booking',
  modify: 'modified (one night longer)',
  cancel: 'cancelled',
}

function words(kind, booking, connection) {
  const { reservation_id, version, guest, check_in, check_out, total_amount, currency } = booking
  return `${reservation_id} of ${guest.full_name}, ${check_in} to ${check_out}, ${total_amount} ${currency}: ${DONE[kind]} (version ${version}).
It is now the last reservation in the feed of ${connection.property_id} (${booking.property_id}): GET /reservations with
updated_since set to the greatest updated_at seen so far returns it. The printed request of npm start shows how.
`
}

/** Publishes one change; returns the text for the user. */
export async function book({ kafka, applications }, { stateDir, kind, property: id }) {
  const property = propertyOf(id)
  if (!property) {
    const ids = properties.map(({ snapshot }) => snapshot.property_id).join(' and ')
    throw new Refusal(`There is no demo property ${id}; there are ${ids}.`)
  }
  const bookings = Object.values(knownBookings(stateDir) ?? {}).filter(({ property_id }) => property_id === id)
  const booking = choose(kind, property, bookings)
  await publish(kafka.brokers, { bookings: [booking] })
  remember(stateDir, [booking])
  const connections = applications.flatMap((application) => application.connections)
  return words(
    kind,
    booking,
    connections.find(({ source_property_id }) => source_property_id === id),
  )
}
