// The booking engine of a run: creates, changes, cancels, breaks and repairs bookings; repeats and reorders versions.
// Its steps depend on the seed alone.
import { setTimeout as sleep } from 'node:timers/promises'
import type { BookingStatus } from '@connectivity/contracts/booking-events'
import { bookingEvent } from '../../../deploy/local/demo/booking-engine.ts'
import { draw, type Draw, randomFrom } from '../../../deploy/local/demo/random.ts'
import { kafkaProducer } from '../../../deploy/local/parts/kafka-client.ts'
import type { Pace } from './pace.ts'
import { booking, type BookingVersion, ROOMS, type SentBooking, UNKNOWN_ROOM } from './property.ts'

const TOPIC = 'booking.reservations.v1'
const PAUSE = 200
const POISON = ['{"not even', '[]', '{"specversion":"1.0"}', '\u0000', JSON.stringify({ data: { version: 'new' } })]
const LAST: BookingStatus[] = ['confirmed', 'cancelled']
/** Prefix of the ids of bookings that a probe waits for. */
export const PROBE = 'PROBE-'
/** Retries like the services', until a broker is back. */
const RETRY = { initialRetryTime: 100, maxRetryTime: 1_000, multiplier: 2, retries: 1e9 }

type Producer = ReturnType<typeof kafkaProducer>

/** A message as a producer takes it. */
interface Message {
  key: string
  value: string
}

/** Identity of a booking. */
type BookingId = Pick<BookingVersion, 'property_id' | 'reservation_id'>

/** Fields of a booking that a step changes. */
interface Changes {
  status?: BookingStatus
  room_id?: string
}

/** Steps that add a booking, by their letters. */
const CREATED: Record<string, Changes> = {
  n: {},
  p: { status: 'pending' },
  b: { room_id: UNKNOWN_ROOM }, // unresolvable from its first version
}

/** A booking at its latest version. */
interface Known extends Required<BookingVersion> {
  /** Changes the booking and returns its next version. */
  next: (changes?: Changes) => SentBooking
}

interface Where {
  brokers: string[]
  seed: number
  properties: [string, ...string[]]
  /** Number of bookings after which existing ones change and none are added. */
  most?: number
}

export class BookingSource {
  readonly properties: [string, ...string[]]
  readonly #brokers: string[]
  #producer: Producer | undefined
  readonly #drawn: Draw
  readonly #known: Known[] = []
  readonly #most: number
  #count = 0
  #turn = Promise.resolve()

  constructor({ brokers, seed, properties, most = Infinity }: Where) {
    this.#brokers = brokers
    this.#most = most
    this.#drawn = draw(randomFrom(seed))
    this.properties = properties
  }

  /** Takes a step at intervals, until the run is over. */
  async run(pace: Pace): Promise<void> {
    while (!pace.isOver) {
      await this.#send(this.#step())
      await pace.pause(PAUSE)
    }
  }

  /** Publishes a new confirmed booking; resolves with its id once Kafka has it. */
  async book(property_id = this.properties[0]): Promise<string> {
    const made = booking({ ...this.#newId(property_id, PROBE), version: 1, room_id: ROOMS[0] })
    await this.#send([made])
    return made.reservation_id
  }

  /** Publishes unreadable messages among bookings of the same partitions. */
  async poison(count: number): Promise<void> {
    for (let sent = 0; sent < count; sent++) {
      const key = this.#drawn.one(this.properties)
      await this.#sendMessages([{ key, value: POISON[sent % POISON.length]! }])
      await this.#send(this.#create())
    }
  }

  /** Publishes many bookings at once: all versions of each, shuffled, each twice. */
  async shuffled(count: number): Promise<void> {
    for (let made = 0; made < count; made++) {
      const { next } = this.#remember(this.#newId(this.#drawn.one(this.properties)))
      const versions = [next(), next(), next({ status: this.#drawn.one(LAST) })]
      const order = [...versions, ...versions].map((one) => ({ at: this.#drawn.integer(0, 1e9), one }))
      await this.#send(order.sort((a, b) => a.at - b.at).map(({ one }) => one))
    }
  }

  async close(): Promise<void> {
    await this.#turn
    await this.#producer?.disconnect()
  }

  #newId(property_id: string, prefix = 'RSV-'): BookingId {
    this.#count += 1
    return { property_id, reservation_id: `${prefix}${this.#count}` }
  }

  #remember(id: BookingId): Known {
    const known: Known = {
      ...id,
      version: 0,
      status: 'confirmed',
      room_id: this.#drawn.one(ROOMS),
      next: (changes = {}) => {
        Object.assign(known, changes, { version: known.version + 1 })
        return booking(known)
      },
    }
    this.#known.push(known)
    return known
  }

  #create(changes?: Changes): SentBooking[] {
    return [this.#remember(this.#newId(this.#drawn.one(this.properties))).next(changes)]
  }

  #step(): SentBooking[] {
    const steps = [...(this.#known.length < this.#most ? 'nnnnmmmmccbBmprd' : 'mmmmmmmmccBBmmrd')]
    return this.#known.length < 3 ? this.#create() : this.#stepOf(this.#drawn.one(steps))
  }

  #stepOf(letter: string): SentBooking[] {
    const known = this.#drawn.one(this.#known)
    const good = known.room_id === UNKNOWN_ROOM ? { room_id: this.#drawn.one(ROOMS) } : {}
    const created = CREATED[letter]
    return created ? this.#create(created) : this.#change(letter, known, good)
  }

  /** @param good change that repairs an unresolvable booking */
  #change(letter: string, known: Known, good: Changes): SentBooking[] {
    switch (letter) {
      case 'B': // breaks a good booking, repairs a broken one
        return [known.next(known.room_id === UNKNOWN_ROOM ? good : { room_id: UNKNOWN_ROOM, status: 'confirmed' })]
      case 'c':
        return [known.next({ ...good, status: 'cancelled' })]
      case 'd': // repeats the latest version
        return [booking(known)]
      case 'r': // the second overtakes the first, and is repeated
        return this.#reordered(known.next(good), known.next())
      default:
        return [known.next({ ...good, status: 'confirmed', room_id: this.#drawn.one(ROOMS) })]
    }
  }

  #reordered(first: SentBooking, second: SentBooking): SentBooking[] {
    return [second, first, second]
  }

  #send(bookings: SentBooking[]): Promise<void> {
    const messages = bookings.map((one) => ({ key: one.property_id, value: JSON.stringify(bookingEvent(one)) }))
    return this.#sendMessages(messages)
  }

  /** Sends in order until Kafka has them: repeats a message whose outcome is unknown, as every producer does. */
  #sendMessages(messages: Message[]): Promise<void> {
    this.#turn = this.#turn.then(() => this.#untilSent(messages))
    return this.#turn
  }

  async #untilSent(messages: Message[]): Promise<void> {
    for (;;) {
      try {
        this.#producer ??= await this.#newProducer()
        await this.#producer.send({ topic: TOPIC, acks: -1, messages })
        return
      } catch {
        await this.#producer?.disconnect().catch(() => {})
        this.#producer = undefined
        await sleep(PAUSE)
      }
    }
  }

  async #newProducer(): Promise<Producer> {
    const producer = kafkaProducer(this.#brokers, { retry: RETRY, requestTimeout: 5_000 })
    await producer.connect()
    return producer
  }
}
