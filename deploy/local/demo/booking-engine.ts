// Writes to Kafka exactly as the booking engine does: CloudEvents, keyed by property id, placed by murmur2.
import { randomUUID } from 'node:crypto'
import type { Booking } from '@connectivity/contracts/booking-events'
import type { CloudEvent } from '@connectivity/contracts/cloud-event'
import type { Property } from '@connectivity/contracts/property-events'
import { kafkaProducer } from '../parts/kafka-client.ts'

/** Fields of a booking's snapshot that the envelope needs; the message holds the whole snapshot. */
export type BookingSnapshot = Pick<Booking, 'reservation_id' | 'property_id' | 'version' | 'status'>

/** Fields of a property's snapshot that the envelope needs; the message holds the whole snapshot. */
export type PropertySnapshot = Pick<Property, 'property_id'>

/** Snapshots to publish: properties before bookings, each in the order given. */
export interface Snapshots {
  properties?: readonly PropertySnapshot[]
  bookings?: readonly BookingSnapshot[]
}

const envelope = <T>(type: string, subject: string, data: T): CloudEvent<T> => ({
  specversion: '1.0',
  id: randomUUID(),
  source: '/booking-engine',
  type,
  subject,
  time: new Date().toISOString(),
  datacontenttype: 'application/json',
  data,
})

const TYPES: Record<Booking['status'], string> = {
  confirmed: 'booking.confirmed',
  cancelled: 'booking.cancelled',
  pending: 'booking.pending',
}

const typeOf = ({ status, version }: BookingSnapshot): string =>
  status === 'confirmed' && version > 1 ? 'booking.modified' : TYPES[status]

/** The event that announces a booking's snapshot. */
export const bookingEvent = <T extends BookingSnapshot>(booking: T): CloudEvent<T> =>
  envelope(typeOf(booking), booking.reservation_id, booking)

/** The event that announces a property's snapshot. */
export const propertyEvent = <T extends PropertySnapshot>(property: T): CloudEvent<T> =>
  envelope('booking.property.changed', property.property_id, property)

const message = (event: CloudEvent<PropertySnapshot>) => ({
  key: event.data.property_id,
  value: JSON.stringify(event),
})

/** Publishes snapshots; resolves when Kafka has them. */
export async function publish(brokers: string[], { properties = [], bookings = [] }: Snapshots): Promise<void> {
  const producer = kafkaProducer(brokers)
  const topicMessages = [
    { topic: 'booking.properties.v1', messages: properties.map(propertyEvent).map(message) },
    { topic: 'booking.reservations.v1', messages: bookings.map(bookingEvent).map(message) },
  ].filter(({ messages }) => messages.length > 0)
  await producer.connect()
  try {
    await producer.sendBatch({ topicMessages })
  } finally {
    await producer.disconnect()
  }
}
