import { Module } from '@nestjs/common'
import { purge } from '@connectivity/database'
import { DISPATCH_CONFIG, type EventDispatchConfig } from '../config.js'
import { EventRetentionStore, RETENTION_DAYS } from './event-retention.store.js'
import { EventStore } from './event.store.js'
import { ReservationEventsConsumer } from './reservation-events.consumer.js'

/** Stores the feed's events, enqueues their deliveries, and drops old events. */
@Module({
  controllers: [ReservationEventsConsumer],
  providers: [
    EventStore,
    EventRetentionStore,
    purge('old events', EventRetentionStore, (store) => store.drop()),
    {
      provide: RETENTION_DAYS,
      useFactory: ({ EVENT_RETENTION_DAYS }: EventDispatchConfig) => EVENT_RETENTION_DAYS,
      inject: [DISPATCH_CONFIG],
    },
  ],
})
export class IntakeModule {}
