// Time from the booking engine's publish until a partner that polls through the gateway has received it.
import { setTimeout as delay } from 'node:timers/promises'
import { Pool } from 'undici'
import type { Booking } from '@connectivity/contracts/booking-events'
import type { FeedPage } from '@connectivity/contracts/reservation'
import { pullFeed, type SignedConnection } from '../../../deploy/local/demo/partner.ts'
import { until } from '../../../deploy/local/machine/until.ts'
import { withOwnStack } from '@connectivity/toolkit/own-stack'
import { inProduction, roomOf } from '../gateway.ts'
import { signedPoll } from '../load.ts'
import type { Report } from '../report/report.ts'
import { type Percentiles, percentiles } from '@connectivity/toolkit/statistics'
import type { Sizes } from './sizes.ts'
import { booking, producerOf, type Source } from './source.ts'

const PER_SECOND = 200
const WARM_UP = 400
const LIMIT = 30_000
/** Pause between two polls, ms. */
const BREATH = 5

/**
 * Polls with a short pause, so that the poller does not take CPU time from the service that it measures. Records when
 * each reservation is seen for the first time.
 */
class Poller {
  readonly seen = new Map<string, number>()
  readonly #baseUrl: string
  readonly #connection: SignedConnection
  readonly #done: Promise<void>
  #since = '1970-01-01T00:00:00.000Z'
  #polling = true

  constructor(baseUrl: string, connection: SignedConnection) {
    this.#baseUrl = baseUrl
    this.#connection = connection
    this.#done = this.#poll()
  }

  stop(): Promise<void> {
    this.#polling = false
    return this.#done
  }

  async #poll(): Promise<void> {
    const pool = new Pool(this.#baseUrl, { connections: 1 })
    const { property_id, signing } = this.#connection
    while (this.#polling) {
      const query = `property_id=${property_id}&limit=100&updated_since=${this.#since}`
      const answer = await pool.request({ method: 'GET', ...signedPoll(query, signing) })
      const body = (await answer.body.json()) as FeedPage
      if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${JSON.stringify(body)}`)
      const now = performance.now()
      for (const { reservation_id, updated_at } of body.reservations) {
        if (!this.seen.has(reservation_id)) this.seen.set(reservation_id, now)
        this.#since = updated_at
      }
      await delay(BREATH)
    }
    await pool.close()
  }
}

/** Batches messages that arrive while a send is in flight into the next one, as producers do. */
class SteadySender {
  readonly #producer: Source
  #waiting: Booking[] = []
  #running = Promise.resolve()

  constructor(producer: Source) {
    this.#producer = producer
  }

  send(given: Booking): void {
    this.#waiting.push(given)
    if (this.#waiting.length === 1) this.#running = this.#running.then(() => this.#flush())
  }

  done(): Promise<void> {
    return this.#running
  }

  #flush(): Promise<void> {
    return this.#producer.sendBookings(this.#waiting.splice(0))
  }
}

/** Publishes at a steady rate; resolves with the time of each send, by reservation id. */
async function publishSteadily(
  producer: Source,
  bookingOf: (index: number) => Booking,
  count: number,
): Promise<Map<string, number>> {
  const sent = new Map<string, number>()
  const sender = new SteadySender(producer)
  const begin = performance.now()
  for (let index = 0; index < count; index++) {
    const wait = begin + (index * 1000) / PER_SECOND - performance.now()
    if (wait > 1) await delay(wait)
    const given = bookingOf(index)
    sent.set(given.reservation_id, performance.now())
    sender.send(given)
  }
  await sender.done()
  return sent
}

/** Times from send to sight, ms, as percentiles; skips the first `from` messages. */
export const freshnessOf = <Id>(sent: Map<Id, number>, seen: Map<Id, number>, from = 0): Percentiles =>
  percentiles([...sent].slice(from).map(([id, time]) => (seen.get(id) ?? NaN) - time))

export const measure = ({ seconds }: Sizes, report: Report): Promise<void> =>
  withOwnStack(async (demo) => {
    const connection = await inProduction(demo)
    const room = roomOf(connection)
    const bookingOf = (index: number) => booking(connection.source_property_id, index, { room })
    await pullFeed(demo.base_url, connection)
    const producer = await producerOf(demo.kafka.brokers)
    const poller = new Poller(demo.base_url, connection)
    const count = WARM_UP + seconds * PER_SECOND
    const sent = await publishSteadily(producer, bookingOf, count)
    const isAllSeen = () => [...sent.keys()].every((id) => poller.seen.has(id))
    await until(isAllSeen, { within: LIMIT, every: 20, complaint: () => 'some published bookings were not seen' })
    await poller.stop()
    await producer.disconnect()
    const freshness = freshnessOf(sent, poller.seen, WARM_UP)
    const title = `from publishing, ${PER_SECOND} events/s for ${seconds} s, to a partner who polls every ${BREATH} ms`
    report.table({ title: `${title}, ms`, rows: [{ name: 'through gateway and feed', also: freshness }] })
    report.figure({ name: 'freshness, median', value: freshness.p50, unit: 'ms', atMost: 10 })
    report.figure({ name: 'freshness, 99th percentile', value: freshness.p99, unit: 'ms', atMost: 100 })
  })
