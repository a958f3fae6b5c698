// Bookings and catalogs as the booking engine and the catalog publish them.
import { randomUUID } from 'node:crypto'
import type { Booking } from '@connectivity/contracts/booking-events'
import {
  type CatalogRatePlan,
  type CatalogRoom,
  catalogEventType,
  type ConnectionCatalog,
} from '@connectivity/contracts/catalog-events'
import { cloudEventText } from '@connectivity/contracts/cloud-event'
import { bookingEvent } from '../../../deploy/local/demo/booking-engine.ts'
import { kafkaProducer } from '../../../deploy/local/parts/kafka-client.ts'

/** Messages in one request: less than 1 MiB even if all go to one partition. */
const AT_ONCE = 800

/** A booking whose event has about 1,080 bytes. */
export const booking = (
  property_id: string,
  number: number,
  { version = 1, room = 'rm_1' }: { version?: number; room?: string } = {},
): Booking => ({
  reservation_id: `RSV-${String(number).padStart(8, '0')}`,
  property_id,
  version,
  status: 'confirmed',
  check_in: '2027-01-01',
  check_out: '2027-01-03',
  created_at: '2026-11-20T10:00:00Z',
  guest_count: 1 + (version % 4),
  guest: { first_name: 'Ada', last_name: 'Lovelace', full_name: 'Ada Lovelace', email: 'ada@example.com', phone: null },
  currency: 'EUR',
  total_amount: `${400 + version}.50`,
  paid_amount: '100.00',
  accommodation: [
    {
      room_id: room,
      rate_plan_id: 'rp_1',
      rate_plan_name: 'Flexible rate with breakfast',
      quantity: 1,
      beds: null,
      bed_type: 'double',
      room_number: null,
      room_type: 'Double room',
      is_dorm: false,
      adults: 2,
      children: 0,
    },
  ],
  special_requests: 'x'.repeat(220),
})

/** A connection and its property at the booking engine. */
export interface Announced {
  connection_id: string
  property_id: string
}

/** A message of a topic. */
interface KeyedMessage {
  key: string
  /** JSON text of a CloudEvent. */
  value: string
  headers?: Record<string, string>
}

/** A connected producer like the booking engine's. */
export interface Source {
  disconnect: () => Promise<void>
  /** @param traceparent of all their messages */
  sendBookings: (bookings: readonly Booking[], traceparent?: string) => Promise<void>
  /** Publishes a catalog for each connection. */
  announce: (connections: readonly Announced[]) => Promise<void>
}

const messageOf = (given: Booking, traceparent?: string): KeyedMessage => ({
  key: given.property_id,
  value: JSON.stringify(bookingEvent(given)),
  ...(traceparent && { headers: { traceparent } }),
})

const CHANGED_AT = '2026-11-20T10:00:00.000Z'

const room: CatalogRoom = {
  ...{ service_id: 'rm_1', external_id: 'DBL', updated_at: CHANGED_AT, name: 'Double room', kind: 'private' },
  ...{ total_units: 10, beds_per_unit: null, bed_type: 'double', status: 'active' },
  occupancy: { base: 2, max: 2, max_adults: 2, max_children: 0 },
}
const ratePlan: CatalogRatePlan = {
  ...{ service_id: 'rp_1', external_id: 'FLEX', updated_at: CHANGED_AT, name: 'Flexible rate with breakfast' },
  ...{ currency: 'EUR', pricing_model: 'per_room', occupancies: null, derived_from: null },
  ...{ meal_plan: 'breakfast', refundable: true, tax_inclusive: true, status: 'active' },
  room_service_ids: ['rm_1'],
}

const catalogMessage = ({ connection_id, property_id }: Announced): KeyedMessage => {
  const data: ConnectionCatalog = {
    connection_id,
    property_id,
    catalog_version: 1,
    property_version: 1,
    mapping_version: 1,
    external_property_id: 'PMS-1',
    name: 'Bench',
    timezone: 'Europe/Berlin',
    currency: 'EUR',
    country: 'DE',
    rooms: [room],
    rate_plans: [ratePlan],
  }
  const attributes = { id: randomUUID(), source: '/catalog', type: catalogEventType, subject: connection_id }
  const time = new Date().toISOString()
  return { key: connection_id, value: cloudEventText({ ...attributes, time }, JSON.stringify(data)) }
}

/** Connects a producer; the caller disconnects it. */
export async function producerOf(brokers: string[]): Promise<Source> {
  const producer = kafkaProducer(brokers)
  await producer.connect()
  /** Publishes messages in their order, many at once. */
  const send = async (topic: string, messages: readonly KeyedMessage[]): Promise<void> => {
    for (let from = 0; from < messages.length; from += AT_ONCE) {
      await producer.send({ topic, acks: -1, messages: messages.slice(from, from + AT_ONCE) })
    }
  }
  return {
    disconnect: () => producer.disconnect(),
    sendBookings: (bookings, traceparent) =>
      send(
        'booking.reservations.v1',
        bookings.map((one) => messageOf(one, traceparent)),
      ),
    announce: (connections) => send('connectivity.catalogs.v1', connections.map(catalogMessage)),
  }
}
