import { Module } from '@nestjs/common'
import { idempotencyRetention } from '@connectivity/mutations'
import { ChangeStream } from '@connectivity/service-kit/http'
import { CURSOR_KEYS } from '@connectivity/service-kit/text'
import { BacklogModule } from '../backlog/backlog.module.js'
import { DISPATCH_CONFIG, type EventDispatchConfig } from '../config.js'
import { AcknowledgementStore } from './acknowledgement.store.js'
import { AcknowledgementsController } from './acknowledgements.controller.js'
import { EventChanges } from './event-changes.service.js'
import { EventAttemptsController } from './event-attempts.controller.js'
import { EventAttemptsStore } from './event-attempts.store.js'
import { EventCursor } from './event-cursor.service.js'
import { EventIndexStore } from './event-index.store.js'
import { EventsController } from './events.controller.js'
import { ReplayEvents } from './replay-events.service.js'
import { ReplaysController } from './replays.controller.js'
import { ReservationEventStore } from './reservation-event.store.js'
import { ReservationEventsController } from './reservation-events.controller.js'

/** Partners' calls about events: the index, acknowledgements and replays. */
@Module({
  imports: [BacklogModule],
  controllers: [
    ...[EventsController, EventAttemptsController, ReplaysController, AcknowledgementsController],
    ReservationEventsController,
  ],
  providers: [
    EventIndexStore,
    EventAttemptsStore,
    ReservationEventStore,
    EventCursor,
    ReplayEvents,
    ChangeStream,
    EventChanges,
    AcknowledgementStore,
    ...idempotencyRetention,
    {
      provide: CURSOR_KEYS,
      useFactory: (config: EventDispatchConfig) => config.CURSOR_KEYS,
      inject: [DISPATCH_CONFIG],
    },
  ],
})
export class EventsModule {}
