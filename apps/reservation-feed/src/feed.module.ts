import { type DynamicModule, Module } from '@nestjs/common'
import { APP_PIPE } from '@nestjs/core'
import { databaseAccess, DatabaseModule, GENERIC_PLANS, purge } from '@connectivity/database'
import { idempotencyRetention, PreparedMutations } from '@connectivity/mutations'
import { kafkaOptions } from '@connectivity/kafka/broker'
import { KafkaModule } from '@connectivity/kafka/kafka.module'
import { WATCHED_TOPIC, WatchedLog } from '@connectivity/kafka/topics'
import { BodyPipe, ChangeStream } from '@connectivity/service-kit/http'
import { CURSOR_KEYS } from '@connectivity/service-kit/text'
import { FEED_CONFIG, type FeedConfig } from './config.js'
import { CatalogArrival } from './connections/catalog-arrival.service.js'
import { CatalogEventsConsumer } from './connections/catalog-events.consumer.js'
import { ClosedFeeds } from './connections/closed-feeds.service.js'
import { ConnectionEventsConsumer } from './connections/connection-events.consumer.js'
import { ConnectionStore, topicsToReadAgain } from './connections/connection.store.js'
import { FeedFactsController } from './connections/feed-facts.controller.js'
import { FeedFactsStore } from './connections/feed-facts.store.js'
import { FeedGauges } from './connections/feed-gauges.service.js'
import { FeedRefresh } from './connections/feed-refresh.service.js'
import { DigestController } from './digest/digest.controller.js'
import { DigestCursor } from './digest/digest-cursor.service.js'
import { Digests } from './digest/digests.service.js'
import { FeedSnapshotStore } from './digest/feed-snapshot.store.js'
import { ProofCheck } from './digest/proof-check.service.js'
import { ProofStore } from './digest/proof.store.js'
import { ProofsController } from './digest/proofs.controller.js'
import { migrations } from './migrations/migrations.js'
import { DeliveryRisksPublisher } from './delivery-status/delivery-risks.publisher.js'
import { DeliveryRisks } from './delivery-status/delivery-risks.service.js'
import { DeliveryStatusOperationsController } from './delivery-status/delivery-status-operations.controller.js'
import { DeliveryStatusController } from './delivery-status/delivery-status.controller.js'
import { DeliveryStatusStore } from './delivery-status/delivery-status.store.js'
import { DeliveryStatuses } from './delivery-status/delivery-statuses.service.js'
import { PollProgress } from './progress/poll-progress.service.js'
import { ProgressStore } from './progress/progress.store.js'
import { RiskRoundStore } from './delivery-status/risk-round.store.js'
import { RISK_RULES, riskRulesOf } from './delivery-status/risk-rules.js'
import { RedeliveryController } from './redelivery/redelivery.controller.js'
import { Redelivery } from './redelivery/redelivery.service.js'
import { RedeliveryStore } from './redelivery/redelivery.store.js'
import { BookingEventsConsumer } from './projection/booking-events.consumer.js'
import { BookingStore } from './projection/booking.store.js'
import { FeedHeadStore } from './projection/feed-head.store.js'
import { FeedPageRoutes } from './pages/feed-page.routes.js'
import { FeedPageStore } from './pages/feed-page.store.js'
import { FeedChanges } from './pages/feed-changes.service.js'
import { PageTurns } from './pages/page-turns.service.js'
import { FeedRowStore } from './projection/feed-row.store.js'
import { FeedWriter } from './projection/feed-writer.service.js'
import { PageCursor } from './pages/page-cursor.service.js'
import { ProblemListController } from './pages/problem-list.controller.js'
import { ProblemListStore } from './pages/problem-list.store.js'
import { Projection } from './projection/projection.service.js'
import { ReservationController } from './pages/reservation.controller.js'
import { ReservationChangesController } from './timeline/reservation-changes.controller.js'
import { ReservationStampStore } from './timeline/reservation-stamp.store.js'

const consumingOptions = ({ EVENTS_PER_TRANSACTION: batch }: FeedConfig) => ({ batch, readAgain: topicsToReadAgain })

/** The reservation feed: consumes bookings and catalogs, serves one feed per connection, queues change events. */
@Module({})
export class FeedModule {
  static with(config: FeedConfig): DynamicModule {
    return {
      module: FeedModule,
      imports: [
        DatabaseModule.with({
          ...databaseAccess(config),
          applicationName: config.INSTANCE_NAME,
          migrations,
          // A page planned for known values after a feed has grown would sort all its rows until the next ANALYZE.
          settings: GENERIC_PLANS,
        }),
        KafkaModule.with({ ...kafkaOptions('reservation-feed', config), ...consumingOptions(config) }),
      ],
      controllers: [
        ...[BookingEventsConsumer, ConnectionEventsConsumer, CatalogEventsConsumer],
        ...[ReservationController, RedeliveryController, FeedFactsController, ProblemListController],
        ...[DigestController, ProofsController, ReservationChangesController],
        ...[DeliveryStatusController, DeliveryStatusOperationsController],
      ],
      providers: [
        { provide: APP_PIPE, useClass: BodyPipe },
        { provide: FEED_CONFIG, useValue: config },
        { provide: CURSOR_KEYS, useValue: config.CURSOR_KEYS },
        { provide: RISK_RULES, useValue: riskRulesOf(config) },
        { provide: WATCHED_TOPIC, useValue: 'booking.reservations.v1' },
        ...[BookingStore, FeedHeadStore, FeedRowStore, FeedWriter, Projection],
        ...[ConnectionStore, CatalogArrival, FeedRefresh, ClosedFeeds, FeedFactsStore, FeedGauges, ProblemListStore],
        ...[RedeliveryStore, Redelivery, ...idempotencyRetention],
        ...[FeedPageStore, FeedChanges, ChangeStream, PageCursor, PageTurns, FeedPageRoutes],
        ...[FeedSnapshotStore, Digests, DigestCursor, ProofStore, ProofCheck, PreparedMutations],
        ...[PollProgress, ProgressStore, DeliveryStatuses, DeliveryStatusStore, WatchedLog],
        ...[DeliveryRisks, RiskRoundStore, DeliveryRisksPublisher, ReservationStampStore],
        purge('answered digests', ProofStore, (store) => store.purge()),
        purge('expired weeks of timelines', ReservationStampStore, (store) => store.purge()),
        purge('rows of closed connections', ClosedFeeds, (feeds) => feeds.purge()),
      ],
    }
  }
}
