// The booking engine of a run: creates, changes, cancels, breaks and repairs bookings; repeats and reorders versions.
// Its steps depend on the seed alone.
import { setTimeout as sleep } from 'node:timers/promises'
import { bookingEvent } from '../../local/demo/booking-engine.mjs'
import { draw, randomFrom } from '../../local/demo/random.mjs'
import { kafkaProducer } from '../../local/parts/kafka-client.mjs'
import { booking, ROOMS, UNKNOWN_ROOM } from './property.mjs'

const TOPIC = 'booking.reservations.v1'
const PAUSE = 200
const POISON = ['{"not even', '[]', '{"specversion":"1.0"}', '\u0000', JSON.stringify({ data: { version: 'new' } })]
/** Prefix of the ids of bookings that a probe waits for. */
export const PROBE = 'PROBE-'
/** Retries like the services', until a broker is back. */
const RETRY = { initialRetryTime: 100, maxRetryTime: 1_000, multiplier: 2, retries: 1e9 }

export class BookingSource {
  #brokers
  #producer
  #drawn
  #known = []
  #most
  #count = 0
  #turn = Promise.resolve()

  /**
   * @param {{ brokers: string[], seed: number, properties: string[], most?: number }} where `most`: number of
   *   bookings after which existing ones change and none are added
   */
  constructor({ brokers, seed, properties, most = Infinity }) {
    this.#brokers = brokers
    this.#most = most
    this.#drawn = draw(randomFrom(seed))
    this.properties = properties
  }

  /** Takes a step at intervals, until `isOver()`. */
  async run(isOver) {
    while (!isOver()) {
      await this.#send(this.#step())
      await sleep(PAUSE)
    }
  }

  /** Publishes a new confirmed booking; resolves with its id once Kafka has it. */
  async book(property_id = this.properties[0]) {
    const made = booking({ ...this.#newId(property_id, PROBE), version: 1, room_id: ROOMS[0] })
    await this.#send([made])
    return made.reservation_id
  }

  /** Publishes unreadable messages among bookings of the same partitions. */
  async poison(count) {
    for (let sent = 0; sent < count; sent++) {
      const key = this.#drawn.one(this.properties)
      await this.#sendMessages([{ key, value: POISON[sent % POISON.length] }])
      await this.#send(this.#create())
    }
  }

  /** Publishes many bookings at once: all versions of each, shuffled, each twice. */
  async shuffled(count) {
    for (let made = 0; made < count; made++) {
      const { next } = this.#remember(this.#newId(this.#drawn.one(this.properties)))
      const versions = [next(), next(), next({ status: this.#drawn.one(['confirmed', 'cancelled']) })]
      const order = [...versions, ...versions].map((one) => [this.#drawn.integer(0, 1e9), one])
      await this.#send(order.sort(([a], [b]) => a - b).map(([, one]) => one))
    }
  }

  async close() {
    await this.#turn
    await this.#producer?.disconnect()
  }

  #newId(property_id, prefix = 'RSV-') {
    this.#count += 1
    return { property_id, reservation_id: `${prefix}${this.#count}` }
  }

  #remember(id) {
    const known = { ...id, version: 0, status: 'confirmed', room_id: this.#drawn.one(ROOMS) }
    known.next = (changes = {}) => {
      Object.assign(known, changes, { version: known.version + 1 })
      return booking(known)
    }
    this.#known.push(known)
    return known
  }

  #create(changes) {
    return [this.#remember(this.#newId(this.#drawn.one(this.properties))).next(changes)]
  }

  #step() {
    const steps = [...(this.#known.length < this.#most ? 'nnnnmmmmccbBmprd' : 'mmmmmmmmccBBmmrd')]
    return this.#known.length < 3 ? this.#create() : this.#stepOf(this.#drawn.one(steps))
  }

  #stepOf(letter) {
    const known = this.#drawn.one(this.#known)
    const good = known.room_id === UNKNOWN_ROOM ? { room_id: this.#drawn.one(ROOMS) } : {}
    switch (letter) {
      case 'n':
        return this.#create()
      case 'p':
        return this.#create({ status: 'pending' })
      case 'b': // cannot be resolved from the beginning
        return this.#create({ room_id: UNKNOWN_ROOM })
      case 'B': // good once, or repaired
        return [known.next(known.room_id === UNKNOWN_ROOM ? good : { room_id: UNKNOWN_ROOM, status: 'confirmed' })]
      case 'c':
        return [known.next({ ...good, status: 'cancelled' })]
      case 'd': // the latest once more
        return [booking(known)]
      case 'r': // the second overtakes the first, and comes once more
        return this.#reordered(known.next(good), known.next())
      default:
        return [known.next({ ...good, status: 'confirmed', room_id: this.#drawn.one(ROOMS) })]
    }
  }

  #reordered(first, second) {
    return [second, first, second]
  }

  #send(bookings) {
    const messages = bookings.map((one) => ({ key: one.property_id, value: JSON.stringify(bookingEvent(one)) }))
    return this.#sendMessages(messages)
  }

  /** Sends in order until Kafka has them: repeats a message whose outcome is unknown, as every producer does. */
  #sendMessages(messages) {
    this.#turn = this.#turn.then(() => this.#untilSent(messages))
    return this.#turn
  }

  async #untilSent(messages) {
    for (;;) {
      try {
        this.#producer ??= await this.#newProducer()
        return await this.#producer.send({ topic: TOPIC, acks: -1, messages })
      } catch {
        await this.#producer?.disconnect().catch(() => {})
        this.#producer = undefined
        await sleep(PAUSE)
      }
    }
  }

  async #newProducer() {
    const producer = kafkaProducer(this.#brokers, { retry: RETRY, requestTimeout: 5_000 })
    await producer.connect()
    return producer
  }
}
