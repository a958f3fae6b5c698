// Reservation events as the feed publishes them, about 1.1 KB each.
import { cloudEventText } from '@connectivity/contracts/cloud-event'
import { type Reservation, SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import type { ReservationEvent } from '@connectivity/contracts/reservation-events'
import { kafkaProducer } from '../../../deploy/local/parts/kafka-client.ts'
import { inTurn } from '@connectivity/toolkit/present'

const TOPIC = 'connectivity.reservation-events.v1'
const AT_ONCE = 500
/** Characters of the guest's requests, which make an event about 1.1 KB long. */
const REQUESTS = 208

const unnamed = { external_rate_plan_id: null, rate_plan_name: null, beds: null, bed_type: null, room_number: null }

const reservation = (id: string, connectionId: string, updated_at: string): Reservation => ({
  reservation_id: id,
  property_id: connectionId,
  external_property_id: 'BENCH',
  ...{ check_in: '2027-01-01', check_out: '2027-01-03', status: 'confirmed', cancelled: false },
  ...{ updated_at, created_at: null, guest_count: null },
  guest: { first_name: 'Ada', last_name: 'Lovelace', full_name: null, email: 'ada@example.com', phone: null },
  ...{ currency: 'EUR', total_amount: 412.5, paid_amount: null, special_requests: 'x'.repeat(REQUESTS) },
  accommodation: [
    {
      ...{ external_room_id: 'R1', quantity: 1, ...unnamed, room_type: null },
      ...{ is_dorm: false, occupancy: { adults: 2, children: 0 } },
    },
  ],
})

/** A message of a topic. */
interface KeyedMessage {
  key: string
  /** JSON text of a CloudEvent. */
  value: string
}

/** Events that are published together. */
interface EventBatch {
  /** Total number of events, spread evenly. */
  count: number
  connections: readonly string[]
  /** Number of reservations of each connection; its events take them in turn. */
  reservations: number
}

/** The envelope of an event. */
export function envelope(connectionId: string, sequence: number, reservation_id: string): ReservationEvent {
  const occurred_at = new Date().toISOString()
  return {
    schema_version: SCHEMA_VERSION,
    event_id: `evt_${connectionId.slice(4)}${String(sequence).padStart(12, '0')}`,
    type: 'reservation.modified',
    property_id: connectionId,
    external_property_id: 'BENCH',
    sequence,
    occurred_at,
    reservation_id,
    data: {
      reservation: reservation(reservation_id, connectionId, occurred_at),
      previous_status: 'confirmed',
      changes: ['check_out'],
    },
  }
}

function message(event: ReservationEvent): KeyedMessage {
  const { event_id: id, type, reservation_id: subject, occurred_at: time, property_id: key } = event
  return { key, value: cloudEventText({ id, source: '/reservation-feed', type, subject, time }, JSON.stringify(event)) }
}

/** Publishes for the connections in turn; each keeps its own sequence for as long as this lives. */
export class EventSource {
  readonly #sequences = new Map<string, number>()
  readonly #producer: ReturnType<typeof kafkaProducer>

  constructor(brokers: string[]) {
    this.#producer = kafkaProducer(brokers)
  }

  async open(): Promise<this> {
    await this.#producer.connect()
    return this
  }

  /** The next event of a connection, for its `reservations` in turn. */
  #next(connectionId: string, reservations: number): KeyedMessage {
    const sequence = (this.#sequences.get(connectionId) ?? 0) + 1
    this.#sequences.set(connectionId, sequence)
    return message(envelope(connectionId, sequence, `RSV-${sequence % reservations}`))
  }

  async publish({ count, connections, reservations }: EventBatch): Promise<void> {
    for (let sent = 0; sent < count; sent += AT_ONCE) {
      const messages = Array.from({ length: Math.min(AT_ONCE, count - sent) }, (_, index) =>
        this.#next(inTurn(connections, sent + index), reservations),
      )
      await this.#producer.send({ topic: TOPIC, acks: -1, messages })
    }
  }

  close(): Promise<void> {
    return this.#producer.disconnect()
  }
}
