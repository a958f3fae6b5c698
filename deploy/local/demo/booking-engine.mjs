// Writes to Kafka exactly as the booking engine does: CloudEvents, keyed by property id, placed by murmur2.
import { randomUUID } from 'node:crypto'
import { kafkaClient, partitioner } from '../parts/kafka-client.mjs'

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

const message = (key, value) => ({ key, value: JSON.stringify(value) })

/** Publishes snapshots of properties and bookings, in the order given; resolves when Kafka has them. */
export async function publish(brokers, { properties = [], bookings = [] }) {
  const producer = kafkaClient(brokers).producer({
    idempotent: true,
    maxInFlightRequests: 1,
    createPartitioner: partitioner,
  })
  const ofProperty = (data) => message(data.property_id, envelope('booking.property.changed', data.property_id, data))
  const ofBooking = (data) => message(data.property_id, envelope(typeOf(data), data.reservation_id, data))
  const topicMessages = [
    { topic: 'booking.properties.v1', messages: properties.map(ofProperty) },
    { topic: 'booking.reservations.v1', messages: bookings.map(ofBooking) },
  ].filter(({ messages }) => messages.length > 0)
  await producer.connect()
  try {
    await producer.sendBatch({ topicMessages })
  } finally {
    await producer.disconnect()
  }
}
