import { type DynamicModule, Module } from '@nestjs/common'
import { APP_PIPE } from '@nestjs/core'
import { ConnectionsModule } from '@connectivity/connections/connections.module'
import { databaseAccess } from '@connectivity/database/config'
import { DatabaseModule } from '@connectivity/database/database.module'
import { IdempotencyRetention } from '@connectivity/database/idempotency-retention'
import { PreparedMutations } from '@connectivity/database/prepared-mutation'
import { kafkaOptions } from '@connectivity/kafka/config'
import { KafkaModule } from '@connectivity/kafka/kafka.module'
import { BodyPipe } from '@connectivity/service-kit/body.pipe'
import { CURSOR_KEYS } from '@connectivity/service-kit/sealed-cursors'
import { VaultModule } from '@connectivity/vault/vault.module'
import { AcknowledgementStore } from './acknowledgements/acknowledgement.store.js'
import { AcknowledgementsController } from './acknowledgements/acknowledgements.controller.js'
import { BacklogChangeStore } from './backlog/backlog-change.store.js'
import { BacklogChanges } from './backlog/backlog-changes.service.js'
import { WaitingDeliveriesStore } from './backlog/waiting-deliveries.store.js'
import { CallbackChanges } from './callbacks/callback-changes.service.js'
import { CallbackOperationsController } from './callbacks/callback-operations.controller.js'
import { CallbackRegistration } from './callbacks/callback-registration.service.js'
import { CallbackSecrets } from './callbacks/callback-secrets.js'
import { CallbackSender } from './callbacks/callback-sender.service.js'
import { CallbackViewStore } from './callbacks/callback-view.store.js'
import { CallbackStore } from './callbacks/callback.store.js'
import { CallbacksController } from './callbacks/callbacks.controller.js'
import type { EventDispatchConfig } from './config.js'
import { Attempts } from './deliveries/attempts.service.js'
import { DeliveryTargetStore } from './deliveries/delivery-target.store.js'
import { DeliveryResultStore } from './deliveries/delivery-result.store.js'
import { DeliveryResults } from './deliveries/delivery-results.js'
import { DeliverySignals } from './deliveries/delivery-signals.js'
import { Dispatcher } from './deliveries/dispatcher.service.js'
import { StrandedDeliveries } from './deliveries/stranded-deliveries.js'
import { StrandedDeliveriesStore } from './deliveries/stranded-deliveries.store.js'
import { LaneStore } from './deliveries/lane.store.js'
import { EventCursor } from './events/event-cursor.js'
import { EventIndexStore } from './events/event-index.store.js'
import { EventRetention, RETENTION_DAYS } from './events/event-retention.js'
import { EventRetentionStore } from './events/event-retention.store.js'
import { EventStore } from './events/event.store.js'
import { EventsController } from './events/events.controller.js'
import { ReplayStore } from './events/replay.store.js'
import { ReplaysController } from './events/replays.controller.js'
import { ReservationEventsConsumer } from './events/reservation-events.consumer.js'
import { LeaseKeeper } from './leases/lease-keeper.js'
import { LeaseStore } from './leases/lease.store.js'
import { migrations } from './migrations/migrations.js'
import { SendingModule } from './sending/sending.module.js'

/**
 * Lanes and deliveries swing between none and a hundred thousand faster than the planner's statistics follow. Every
 * statement of this service goes to its rows by key, so that is what it is told to do.
 */
export const plannerSettings = { enable_seqscan: 'off', enable_hashjoin: 'off', enable_mergejoin: 'off' }

const backlog = [WaitingDeliveriesStore, BacklogChangeStore, BacklogChanges]

/** Event dispatch: reservation events to the partners, by the connections they are for. */
@Module({})
export class EventDispatchModule {
  static with(config: EventDispatchConfig): DynamicModule {
    return {
      module: EventDispatchModule,
      imports: [
        DatabaseModule.with({
          ...databaseAccess(config),
          applicationName: config.INSTANCE_NAME,
          migrations,
          settings: plannerSettings,
        }),
        KafkaModule.with(kafkaOptions('event-dispatch', config)),
        VaultModule.with(config),
        SendingModule.with(config),
        ConnectionsModule,
      ],
      controllers: [
        ReservationEventsConsumer,
        EventsController,
        ReplaysController,
        AcknowledgementsController,
        CallbacksController,
        CallbackOperationsController,
      ],
      providers: [
        ...[CallbackStore, CallbackViewStore, CallbackSender, CallbackRegistration, CallbackChanges, PreparedMutations],
        { provide: APP_PIPE, useClass: BodyPipe },
        { provide: CURSOR_KEYS, useValue: config.CURSOR_KEYS },
        { provide: RETENTION_DAYS, useValue: config.EVENT_RETENTION_DAYS },
        ...[EventRetentionStore, EventRetention, StrandedDeliveriesStore, StrandedDeliveries],
        ...[EventStore, EventIndexStore, EventCursor, ReplayStore, AcknowledgementStore, IdempotencyRetention],
        ...[LeaseStore, LeaseKeeper, LaneStore, DeliveryTargetStore, CallbackSecrets, ...backlog],
        ...[Attempts, DeliveryResultStore, DeliveryResults, DeliverySignals, Dispatcher],
      ],
    }
  }
}
