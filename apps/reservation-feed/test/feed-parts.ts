import type { ConnectionState } from '@connectivity/contracts/connection-events'
import { EVIDENCE_HEADER } from '@connectivity/contracts/evidence'
import type { Identity } from '@connectivity/contracts/identity'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import type { FeedPage } from '@connectivity/contracts/reservation'
import type { Database } from '@connectivity/database'
import type { WatchedLog } from '@connectivity/kafka/topics'
import { toServiceError } from '@connectivity/service-kit/http'
import { createLogger } from '@connectivity/service-kit/logging'
import { fastify, type FastifyRequest } from 'fastify'
import { CatalogArrival } from '../src/connections/catalog-arrival.service.js'
import { ClosedFeeds } from '../src/connections/closed-feeds.service.js'
import { ConnectionEventsConsumer } from '../src/connections/connection-events.consumer.js'
import { ConnectionStore } from '../src/connections/connection.store.js'
import { FeedRefresh } from '../src/connections/feed-refresh.service.js'
import { Digests } from '../src/digest/digests.service.js'
import { FeedSnapshotStore } from '../src/digest/feed-snapshot.store.js'
import { DeliveryRisksPublisher } from '../src/delivery-status/delivery-risks.publisher.js'
import { DeliveryRisks } from '../src/delivery-status/delivery-risks.service.js'
import { DeliveryStatusStore } from '../src/delivery-status/delivery-status.store.js'
import { DeliveryStatuses } from '../src/delivery-status/delivery-statuses.service.js'
import { PollProgress } from '../src/progress/poll-progress.service.js'
import { ProgressStore } from '../src/progress/progress.store.js'
import { RiskRoundStore } from '../src/delivery-status/risk-round.store.js'
import type { RiskRules } from '../src/delivery-status/risk-rules.js'
import { Redelivery } from '../src/redelivery/redelivery.service.js'
import { RedeliveryStore } from '../src/redelivery/redelivery.store.js'
import { BookingEventsConsumer } from '../src/projection/booking-events.consumer.js'
import { BookingStore } from '../src/projection/booking.store.js'
import { FeedHeadStore } from '../src/projection/feed-head.store.js'
import { FeedPageRoutes } from '../src/pages/feed-page.routes.js'
import { FeedPageStore } from '../src/pages/feed-page.store.js'
import { FeedRowStore } from '../src/projection/feed-row.store.js'
import { FeedWriter } from '../src/projection/feed-writer.service.js'
import { PageCursor } from '../src/pages/page-cursor.service.js'
import { PageTurns } from '../src/pages/page-turns.service.js'
import { Projection } from '../src/projection/projection.service.js'

/** GET /reservations as the process serves it, asked without a socket. */
function pageRoute(pages: FeedPageStore, progress: PollProgress) {
  const http = fastify()
  http.decorateRequest('caller', null)
  http.addHook('onRequest', async (request: FastifyRequest) => {
    const property_id = request.headers['x-connection'] as string
    const partner = {
      connection: { property_id, external_property_id: 'PMS-100', state: request.headers['x-state'] },
      correlation_id: 'test',
    } as Identity
    request.caller = { partner, operator: null }
  })
  http.setErrorHandler((error, request, reply) => {
    const refusal = toServiceError(error)
    return reply.status(refusal.status).send(refusal.body(request.id))
  })
  const host = { httpAdapter: { getInstance: () => http } } as never
  const cursors = new PageCursor(new Map([['c1', Buffer.alloc(32, 1)]]))
  const log = { lagMilliseconds: () => 0 } as WatchedLog
  new FeedPageRoutes(host, pages, cursors, new PageTurns(), progress, log).onModuleInit()
  return http
}

/** The feed's own parts as one process has them; a restart makes new ones over the same database. */
export function feedParts(database: Database, riskRules: RiskRules) {
  const [bookings, heads, rows] = [new BookingStore(), new FeedHeadStore(), new FeedRowStore()]
  const [connections, redeliveries, pages] = [new ConnectionStore(), new RedeliveryStore(), new FeedPageStore(database)]
  const writer = new FeedWriter(heads, rows)
  const log = createLogger('test', 'silent')
  const refresh = new FeedRefresh(database, connections, bookings, heads, rows, writer, log)
  const redelivery = new Redelivery(database, redeliveries, writer, log)
  const closedFeeds = new ClosedFeeds(database, connections, rows, { CLOSED_FEED_DAYS: 30 }, log)
  const progress = new PollProgress(database, new ProgressStore(), log, { PROGRESS_WRITE_SECONDS: 1 })
  const statusStore = new DeliveryStatusStore()
  const risks = new DeliveryRisks(
    database,
    new RiskRoundStore(database),
    statusStore,
    new DeliveryRisksPublisher(),
    riskRules,
    log,
  )
  const http = pageRoute(pages, progress)
  return {
    connections,
    redeliveries,
    pages,
    refresh,
    redelivery,
    progress,
    risks,
    statuses: new DeliveryStatuses(database, statusStore, progress, riskRules),
    digests: new Digests(new FeedSnapshotStore(database)),
    bookingConsumer: new BookingEventsConsumer(new Projection(bookings, heads, rows, writer)),
    connectionConsumer: new ConnectionEventsConsumer(connections),
    arrival: new CatalogArrival(connections, bookings),
    async purge(): Promise<void> {
      while ((await closedFeeds.purge()) > 0);
    },
    /** A page as the gateway gets it for a partner. */
    async poll(
      connectionId: string,
      query: string,
      state: ConnectionState = 'pilot',
      headers: Record<string, string> = {},
    ): Promise<{ status: number; page: FeedPage; evidence: string; tag: string }> {
      const url = `${BASE_PATH}/reservations?${query}`
      const sent = { 'x-connection': connectionId, 'x-state': state, ...headers }
      const { statusCode: status, headers: received, body } = await http.inject({ url, headers: sent })
      const evidence = String(received[EVIDENCE_HEADER] ?? '')
      const page = (body === '' ? null : JSON.parse(body)) as FeedPage
      return { status, page, evidence, tag: String(received.etag) }
    },
    /** The background work. */
    start(): void {
      refresh.onApplicationBootstrap()
      redelivery.onApplicationBootstrap()
      progress.onApplicationBootstrap()
    },
    async stop(): Promise<void> {
      await Promise.all([
        refresh.onModuleDestroy(),
        redelivery.onModuleDestroy(),
        progress.onApplicationShutdown(),
        http.close(),
      ])
    },
  }
}
