import type { Booking } from '@connectivity/contracts/booking-events'
import type { ConnectionCatalog } from '@connectivity/contracts/catalog-events'
import type { Connection } from '@connectivity/contracts/connection-events'
import type { FeedPage } from '@connectivity/contracts/reservation'
import { Database, isLockTimeout } from '@connectivity/database'
import { migrate } from '@connectivity/database/migrate'
import { applyBatch, type ConsumedMessage, type TopicBatch } from '@connectivity/kafka/consuming'
import { createDatabase } from '@connectivity/testing/database'
import { bookingEvent, connectionEvent } from '@connectivity/testing/events'
import { startUntilLocked } from '@connectivity/testing/lock-waits'
import { messages } from '@connectivity/testing/messages'
import { migrations } from '../src/migrations/migrations.js'
import type { RiskRules } from '../src/delivery-status/risk-rules.js'
import { pageBody } from '../src/pages/feed-page.js'
import { feedParts } from './feed-parts.js'

/** An event as it left the feed. */
export interface SentEvent {
  property_id: string
  type: string
  sequence: number
  reservation_id: string
  data: { reservation: { updated_at: string; status: string }; previous_status: string | null; changes: string[] }
}

/** The defaults of the service. */
const usualRisks: RiskRules = { waitSeconds: 1_800, arrivalDays: 2, longWaitSeconds: 86_400 }

/**
 * The feed's own parts over a database of their own, without Kafka and HTTP.
 * @param settings of the database's sessions
 */
export async function feedInProcess(riskRules: RiskRules = usualRisks, settings: Record<string, string> = {}) {
  const { url, drop } = await createDatabase()
  await migrate({ url, applicationName: 'test', migrations })
  const database = new Database({ url, applicationName: 'test', migrations, settings })
  let parts = feedParts(database, riskRules)
  const offsets = new Map<string, bigint>()

  /** Repeats a batch that waited too long for a lock, as the consumer does. */
  const apply = async (
    partition: number,
    given: readonly ConsumedMessage[],
    handle: (batch: TopicBatch) => Promise<void>,
    topic = 'booking.reservations.v1',
  ): Promise<void> => {
    try {
      await applyBatch(database, { group: 'test', topic, partition }, given, handle)
    } catch (error) {
      if (!isLockTimeout(error)) throw error
      await apply(partition, given, handle, topic)
    }
  }

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
    /** Starts the background work. */
    start: () => parts.start(),
    /** Stops like the process: nothing in memory survives. */
    async stop(): Promise<void> {
      await parts.stop()
      parts = feedParts(database, riskRules)
    },
    get redelivery() {
      return parts.redelivery
    },
    get digests() {
      return parts.digests
    },
    get statuses() {
      return parts.statuses
    },
    get progress() {
      return parts.progress
    },
    get risks() {
      return parts.risks
    },
    get connections() {
      return parts.connections
    },
    /** Runs the purge that is due once a minute. */
    purge: () => parts.purge(),
    poll: (...asked: Parameters<typeof parts.poll>) => parts.poll(...asked),
    /** Projects raw values as one batch of a partition. */
    async consume(values: readonly (string | Buffer)[], partition = 0): Promise<void> {
      await consumeNext('booking.reservations.v1', partition, values, (batch) => parts.bookingConsumer.handle(batch))
    },
    /** Projects messages as one batch of the first partition. */
    async consumeMessages(given: readonly ConsumedMessage[]): Promise<void> {
      await apply(0, given, (batch) => parts.bookingConsumer.handle(batch))
    },
    /** Consumes the gateway's events about connections, as one batch. */
    async connect(...given: readonly Partial<Connection>[]): Promise<void> {
      const values = given.map(connectionEvent)
      await consumeNext('connectivity.connections.v1', 0, values, (batch) => parts.connectionConsumer.handle(batch))
    },
    /** Projects bookings as one batch. */
    async book(given: readonly Partial<Booking>[], partition = 0): Promise<void> {
      await this.consume(given.map(bookingEvent), partition)
    },
    /** Projects bookings as one batch, which commits once `work`, begun after the writes, waits for its locks. */
    async bookBeside(given: readonly Partial<Booking>[], work: () => Promise<unknown>): Promise<void> {
      let done = async () => {}
      await consumeNext('booking.reservations.v1', 0, given.map(bookingEvent), async (batch) => {
        await parts.bookingConsumer.handle(batch)
        await batch.tx.flush()
        done = await startUntilLocked(database, work)
      })
      await done()
    },
    /** Crashes just before the commit of what `book` does. */
    async crashWhileBooking(given: readonly Partial<Booking>[], partition = 0): Promise<void> {
      const first = offsets.get(`booking.reservations.v1/${partition}`) ?? 0n
      const crash = new Error('crash')
      const crashing = apply(partition, messages(given.map(bookingEvent), first), async (batch) => {
        await parts.bookingConsumer.handle(batch)
        throw crash
      })
      await crashing.catch((error: unknown) => {
        if (error !== crash) throw error
      })
    },
    redeliveryWaits: () => parts.redeliveries.waits(database, null),
    /** Forgets the positions, so that the same messages are read again. */
    async rewind(): Promise<void> {
      offsets.clear()
      await database.query('DELETE FROM consumed_offset')
    },
    takeCatalogs: (...catalogs: readonly ConnectionCatalog[]) =>
      database.transaction((tx) => parts.arrival.take(tx, catalogs)),
    /** Reads a connection's feed like a poller that uses only its checkpoint. */
    async page(connectionId: string, from = 0, limit = 100): Promise<FeedPage> {
      const { pages } = parts
      const { rows } = await pages.headAndRows(connectionId, { from, limit, withHistory: false })
      const page = await pages.withBodies(connectionId, rows)
      const body = pageBody({ connectionId, externalPropertyId: '', limit, page, nextCursor: null })
      return JSON.parse(body.toString()) as FeedPage
    },
    /** Takes the events out of the outbox, in order. */
    async events(): Promise<SentEvent[]> {
      const { rows } = await database.query<{ id: string; value: string }>(
        `DELETE FROM outbox WHERE topic = 'connectivity.reservation-events.v1' RETURNING id, value`,
      )
      const inOrder = rows.sort((a, b) => Number(a.id) - Number(b.id))
      return inOrder.map(({ value }) => (JSON.parse(value) as { data: SentEvent }).data)
    },
    async end(): Promise<void> {
      await parts.stop()
      await database.close()
      await drop()
    },
  }
}

export type FeedInProcess = Awaited<ReturnType<typeof feedInProcess>>
