import type { Booking } from '@connectivity/contracts/booking-events'
import type { ConnectionCatalog } from '@connectivity/contracts/catalog-events'
import type { Connection } from '@connectivity/contracts/connection-events'
import type { FeedPage } from '@connectivity/contracts/reservation'
import { Database } from '@connectivity/database/database'
import { migrate } from '@connectivity/database/migrate'
import { applyBatch } from '@connectivity/kafka/batch-transaction'
import type { ConsumedMessage, TopicBatch } from '@connectivity/kafka/topic-batch'
import { createLogger } from '@connectivity/service-kit/logging'
import { createDatabase } from '@connectivity/testing/database'
import { bookingEvent, connectionEvent, ratePlan, room } from '@connectivity/testing/events'
import { messages } from '@connectivity/testing/messages'
import { CatalogArrival } from '../src/connections/catalog-arrival.service.js'
import { ClosedFeeds } from '../src/connections/closed-feeds.service.js'
import { ConnectionEventsConsumer } from '../src/connections/connection-events.consumer.js'
import { ConnectionStore } from '../src/connections/connection.store.js'
import { FeedRefresh } from '../src/connections/feed-refresh.service.js'
import { migrations } from '../src/migrations/migrations.js'
import { Redelivery } from '../src/redelivery/redelivery.service.js'
import { RedeliveryStore } from '../src/redelivery/redelivery.store.js'
import { BookingEventsConsumer } from '../src/reservations/booking-events.consumer.js'
import { BookingStore } from '../src/reservations/booking.store.js'
import { FeedHeadStore } from '../src/reservations/feed-head.store.js'
import { pageText } from '../src/reservations/feed-page.js'
import { FeedPageStore } from '../src/reservations/feed-page.store.js'
import { FeedRowStore } from '../src/reservations/feed-row.store.js'
import { FeedWriter } from '../src/reservations/feed-writer.service.js'
import { Projection } from '../src/reservations/projection.service.js'

/** A connection's catalog with one double room and one rate plan, both unmapped. */
export const catalog = (given: Partial<ConnectionCatalog> = {}): ConnectionCatalog => ({
  connection_id: 'con_1',
  property_id: 'prop_1',
  catalog_version: 1,
  property_version: 1,
  mapping_version: 0,
  external_property_id: 'PMS-100',
  name: 'Harbour Hotel',
  timezone: 'Europe/Berlin',
  currency: 'EUR',
  country: 'DE',
  rooms: [catalogRoom('rm_double')],
  rate_plans: [
    {
      ...ratePlan(),
      service_id: 'rp_flex',
      external_id: null,
      room_service_ids: ['rm_double'],
      derived_from: null,
      updated_at: '',
    },
  ],
  ...given,
})

export const catalogRoom = (id: string, externalId: string | null = null): ConnectionCatalog['rooms'][number] => ({
  ...room(),
  service_id: id,
  external_id: externalId,
  updated_at: '',
})

/** An event as it left the feed. */
export interface SentEvent {
  property_id: string
  type: string
  sequence: number
  reservation_id: string
  data: { reservation: { updated_at: string; status: string }; previous_status: string | null; changes: string[] }
}

/** The feed's own parts over a database of their own, without Kafka and HTTP. */
export async function feedInProcess() {
  const { url, drop } = await createDatabase()
  await migrate({ url, applicationName: 'test', migrations })
  const database = new Database({ url, applicationName: 'test', migrations })
  const [bookings, heads, rows, connections] = [
    new BookingStore(),
    new FeedHeadStore(),
    new FeedRowStore(),
    new ConnectionStore(),
  ]
  const writer = new FeedWriter(heads, rows)
  const log = createLogger('test', 'silent')
  const consumer = new BookingEventsConsumer(new Projection(bookings, heads, writer))
  const connectionConsumer = new ConnectionEventsConsumer(connections)
  const arrival = new CatalogArrival(connections, bookings)
  const refresh = new FeedRefresh(database, connections, bookings, heads, writer, log)
  const closedFeeds = new ClosedFeeds(database, connections, rows, 30, log)
  const redeliveries = new RedeliveryStore()
  const redelivery = new Redelivery(database, redeliveries, writer, log)
  const pages = new FeedPageStore(database)
  const offsets = new Map<string, bigint>()

  const apply = (
    partition: number,
    given: readonly ConsumedMessage[],
    handle: (batch: TopicBatch) => Promise<void>,
    topic = 'booking.reservations.v1',
  ) => applyBatch(database, { group: 'test', topic, partition }, given, handle)

  /** Consumes values as one batch of a partition, where the last one ended. */
  const consumeNext = async (
    topic: string,
    partition: number,
    values: readonly (string | Buffer)[],
    handle: (batch: TopicBatch) => Promise<void>,
  ) => {
    const first = offsets.get(`${topic}/${partition}`) ?? 0n
    offsets.set(`${topic}/${partition}`, first + BigInt(values.length))
    await apply(partition, messages(values, first), handle, topic)
  }

  return {
    database,
    refresh,
    closedFeeds,
    redelivery,
    connections,
    /** Projects raw values as one batch of a partition. */
    async consume(values: readonly (string | Buffer)[], partition = 0): Promise<void> {
      await consumeNext('booking.reservations.v1', partition, values, (batch) => consumer.handle(batch))
    },
    /** Takes in what the gateway says about connections, as one batch. */
    async connect(...given: readonly Partial<Connection>[]): Promise<void> {
      const values = given.map(connectionEvent)
      await consumeNext('connectivity.connections.v1', 0, values, (batch) => connectionConsumer.handle(batch))
    },
    /** Projects bookings as one batch. */
    async book(given: readonly Partial<Booking>[], partition = 0): Promise<void> {
      await this.consume(given.map(bookingEvent), partition)
    },
    redeliveryWaits: () => redeliveries.waits(database, null),
    /** Forgets the positions, so that the same messages are read again. */
    async rewind(): Promise<void> {
      offsets.clear()
      await database.reads.query('DELETE FROM consumed_offset')
    },
    takeCatalogs: (...catalogs: readonly ConnectionCatalog[]) =>
      database.transaction((tx) => arrival.take(tx, catalogs)),
    /** Reads a connection's feed as a poller that uses nothing but its checkpoint. */
    async page(connectionId: string, from = 0, limit = 100): Promise<FeedPage> {
      const page = await pages.withBodies(connectionId, await pages.rows(connectionId, from, limit))
      const text = pageText({ propertyId: connectionId, externalPropertyId: '', limit, page, nextCursor: null })
      return JSON.parse(text) as FeedPage
    },
    /** Takes what stands in the outbox, in order. */
    async events(): Promise<SentEvent[]> {
      const { rows } = await database.reads.query<{ id: string; value: string }>(
        `DELETE FROM outbox WHERE topic = 'connectivity.reservation-events.v1' RETURNING id, value`,
      )
      const inOrder = rows.sort((a, b) => Number(a.id) - Number(b.id))
      return inOrder.map(({ value }) => (JSON.parse(value) as { data: SentEvent }).data)
    },
    async end(): Promise<void> {
      await Promise.all([refresh.onModuleDestroy(), redelivery.onModuleDestroy()])
      await database.close()
      await drop()
    },
  }
}

export type FeedInProcess = Awaited<ReturnType<typeof feedInProcess>>
