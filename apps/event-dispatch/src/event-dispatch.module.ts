import { type DynamicModule, Module } from '@nestjs/common'
import { APP_PIPE } from '@nestjs/core'
import { ConnectionsModule } from '@connectivity/connections'
import { databaseAccess, DatabaseModule, NO_SCANS } from '@connectivity/database'
import { kafkaOptions } from '@connectivity/kafka/broker'
import { KafkaModule } from '@connectivity/kafka/kafka.module'
import { BodyPipe } from '@connectivity/service-kit/http'
import { VaultModule } from '@connectivity/vault'
import { BacklogModule } from './backlog/backlog.module.js'
import { CallbacksModule } from './callbacks/callbacks.module.js'
import { DISPATCH_CONFIG, type EventDispatchConfig } from './config.js'
import { DeliveryModule } from './delivery/delivery.module.js'
import { EventsModule } from './events/events.module.js'
import { IntakeModule } from './intake/intake.module.js'
import { migrations } from './migrations/migrations.js'
import { SendingModule } from './sending/sending.module.js'

/** Shared by every wing: configuration, database, Kafka and the vault. */
@Module({})
class PlatformModule {
  static with(config: EventDispatchConfig): DynamicModule {
    return {
      module: PlatformModule,
      global: true,
      imports: [
        DatabaseModule.with({
          ...databaseAccess(config),
          applicationName: config.INSTANCE_NAME,
          migrations,
          // Numbers of lanes and deliveries change by a hundred thousand before the planner's statistics show it.
          settings: NO_SCANS,
        }),
        KafkaModule.with(kafkaOptions('event-dispatch', config)),
        VaultModule.with(config),
      ],
      providers: [{ provide: DISPATCH_CONFIG, useValue: config }],
      exports: [DISPATCH_CONFIG, KafkaModule, VaultModule],
    }
  }
}

/**
 * Event dispatch: the feed's events come in (intake), wait (backlog) and go out to callbacks (delivery, sending).
 * Partners read and acknowledge them (events) and register their callbacks (callbacks).
 */
@Module({
  imports: [
    ...[IntakeModule, BacklogModule, DeliveryModule, SendingModule],
    ...[EventsModule, CallbacksModule, ConnectionsModule],
  ],
  providers: [{ provide: APP_PIPE, useClass: BodyPipe }],
})
export class EventDispatchModule {
  static with(config: EventDispatchConfig): DynamicModule {
    return { module: EventDispatchModule, imports: [PlatformModule.with(config)] }
  }
}
