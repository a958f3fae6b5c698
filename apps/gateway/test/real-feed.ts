import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import type { Booking } from '@connectivity/contracts/booking-events'
import { createProducer } from '@connectivity/kafka/broker'
import { suiteBroker, suiteKafka } from '@connectivity/kafka/test/suite-kafka'
import { catalogMessage } from '@connectivity/testing/catalog'
import { createDatabase } from '@connectivity/testing/database'
import { bookingEvent, bookingLine } from '@connectivity/testing/events'
import { freePort } from '@connectivity/testing/free-port'
import { ServiceProcess } from '@connectivity/testing/service-process'
import { IDENTITY_KEY } from './gateway-under-test.js'

const PROPERTY = 'prop_1'
/** A reservation of about 60 KiB: 60 of them make a page of 3.6 MiB, one row below the feed's largest. */
export const RESERVATIONS = 60
const LINES = 60

/** The built reservation feed behind the gateway under test, with large reservations of one property. */
export class RealFeed {
  private producer: ReturnType<typeof createProducer> | undefined
  private service: ServiceProcess
  private drop: () => Promise<void>

  /**
   * @param settings further keys of its configuration
   * @returns its address
   */
  async start(settings: Record<string, string> = {}): Promise<string> {
    const database = await createDatabase()
    this.drop = () => database.drop()
    const urls = { DATABASE_URL: database.serviceUrl, MIGRATION_DATABASE_URL: database.url }
    const env = { ...process.env, ...urls, NODE_OPTIONS: '' }
    execFileSync(process.execPath, ['apps/reservation-feed/dist/migrate.js'], { env })
    await suiteKafka()
    this.service = new ServiceProcess('reservation-feed', await freePort(), {
      DATABASE_URL: database.serviceUrl,
      KAFKA_BROKERS: suiteBroker.brokers.join(','),
      INSTANCE_NAME: 'reservation-feed',
      IDENTITY_KEY: IDENTITY_KEY.export().toString('base64'),
      CURSOR_KEYS: `c1:${randomBytes(32).toString('base64')}`,
      ...settings,
    })
    await this.service.start()
    return this.service.url
  }

  /** Books the reservations of the property and fills the feeds of the connections. */
  async fill(connections: readonly string[]): Promise<void> {
    const line = bookingLine({ rate_plan_name: 'n'.repeat(768) })
    const accommodation = Array.from({ length: LINES }, () => line)
    for (let id = 0; id < RESERVATIONS; id++) await this.book({ reservation_id: `RSV-${id}`, accommodation })
    await this.announce(connections)
  }

  book(booking: Partial<Booking>): Promise<void> {
    return this.send('booking.reservations.v1', [{ key: PROPERTY, value: bookingEvent(booking) }])
  }

  /** Publishes the connections' catalogs, so that the feed fills them with the property's reservations. */
  announce(connections: readonly string[]): Promise<void> {
    const announced = connections.map((connection_id) => catalogMessage({ connection_id, property_id: PROPERTY }))
    return this.send('connectivity.catalogs.v1', announced)
  }

  private async send(topic: string, messages: { key: string; value: string }[]): Promise<void> {
    this.producer ??= createProducer(await suiteKafka())
    await this.producer.connect()
    await this.producer.send({ topic, acks: -1, messages })
  }

  async stop(): Promise<void> {
    await this.producer?.disconnect()
    await this.service.stop()
    await this.drop()
  }
}
