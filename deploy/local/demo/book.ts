// Publishes one change at a demo property and explains how to observe it.
import { randomInt } from 'node:crypto'
import { Refusal } from '../bootstrap/machine/refusal.mjs'
import { publish } from './booking-engine.ts'
import { cancelled, type DemoBooking, modified, newBooking } from './bookings.ts'
import type { DemoConnection, DemoFile } from '../../../tools/toolkit/hand-over.ts'
import { knownBookings, remember } from './known-bookings.ts'
import { type DemoProperty, properties, propertyOf } from './properties.ts'
import { draw } from './random.ts'

/** Kind of change: a new booking, or a change of an existing one. */
type Change = 'new' | 'modify' | 'cancel'

/** A wanted change, and the state folder of its stack. */
export interface Wanted {
  stateDir: string
  kind: Change
  /** The booking engine's id of a demo property. */
  property: string
}

const drawn = draw(() => randomInt(2 ** 32) / 2 ** 32)

const numberOf = ({ reservation_id }: DemoBooking): number => Number(reservation_id.slice('RSV-'.length))

function nextBooking(property: DemoProperty, bookings: DemoBooking[]): DemoBooking {
  const number = Math.max(property.firstReservation, ...bookings.map(numberOf)) + 1
  return newBooking(property, `RSV-${number}`, new Date(), drawn)
}

function nextVersion(bookings: DemoBooking[], change: (booking: DemoBooking) => DemoBooking): DemoBooking {
  const confirmed = bookings.filter(({ status }) => status === 'confirmed')
  if (confirmed.length === 0) throw new Refusal('No confirmed booking is left: npm run demo:book makes a new one.')
  return change(drawn.one(confirmed))
}

function choose(kind: Change, property: DemoProperty, bookings: DemoBooking[]): DemoBooking {
  if (kind === 'modify') return nextVersion(bookings, (booking) => modified(property, booking))
  if (kind === 'cancel') return nextVersion(bookings, cancelled)
  return nextBooking(property, bookings)
}

const DONE: Record<Change, string> = {
  new: 'confirmed as a new booking',
  modify: 'modified (one night longer)',
  cancel: 'cancelled',
}

function words(kind: Change, booking: DemoBooking, connection: DemoConnection): string {
  const { reservation_id, version, guest, check_in, check_out, total_amount, currency } = booking
  return `${reservation_id} of ${guest.full_name}, ${check_in} to ${check_out}, ${total_amount} ${currency}: ${DONE[kind]} (version ${version}).
It is now the last reservation in the feed of ${connection.property_id} (${booking.property_id}).
npm run demo:watch -- --property ${booking.property_id} shows it.
`
}

/** Publishes one change; returns the text for the user. */
export async function book(
  { kafka, applications }: Pick<DemoFile, 'kafka' | 'applications'>,
  { stateDir, kind, property: id }: Wanted,
): Promise<string> {
  const property = propertyOf(id)
  const connections = applications.flatMap((application) => application.connections)
  const connection = connections.find(({ source_property_id }) => source_property_id === id)
  if (!property || !connection) {
    const ids = properties.map(({ snapshot }) => snapshot.property_id).join(' and ')
    throw new Refusal(`${id} is not a demo property: use one of ${ids}.`)
  }
  const bookings = Object.values(knownBookings(stateDir) ?? {}).filter(({ property_id }) => property_id === id)
  const booking = choose(kind, property, bookings)
  await publish(kafka.brokers, { bookings: [booking] })
  remember(stateDir, [booking])
  return words(kind, booking, connection)
}
