// Writes to Kafka exactly as the booking engine does: CloudEvents, keyed by property id, placed by murmur2.
import { randomUUID } from 'node:crypto'
import { kafkaProducer } from '../parts/kafka-client.mjs'

const envelope = (type, subject, data) => ({
  specversion: '1.0',
  id: randomUUID(),
  source: '/booking-engine',
  type,
  subject,
  time: new Date().toISOString(),
  datacontenttype: 'application/json',
  data,
})

const TYPES = { confirmed: 'booking.confirmed', cancelled: 'booking.cancelled', pending: 'booking.pending' }

const typeOf = ({ status, version }) => (status === 'confirmed' && version > 1 ? 'booking.modified' : TYPES[status])

/** The event that announces a booking's snapshot. */
export const bookingEvent = (booking) => envelope(typeOf(booking), booking.reservation_id, booking)

/** The event that announces a property's snapshot. */
export const propertyEvent = (property) => envelope('booking.property.changed', property.property_id, property)

const message = (event) => ({ key: event.data.property_id, value: JSON.stringify(event) })

/**
 * Publishes snapshots of properties and bookings, in the order given; resolves when Kafka has them.
 * @param {string[]} brokers
 * @param {{ properties?: object[], bookings?: object[] }} [snapshots]
 */
export async function publish(brokers, { properties = [], bookings = [] }) {
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
