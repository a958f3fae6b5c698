import { type DynamicModule, Module } from '@nestjs/common'
import { ConnectionsModule } from '@connectivity/connections/connections.module'
import { DatabaseModule } from '@connectivity/database/database.module'
import { KafkaModule } from '@connectivity/kafka/kafka.module'
import { VaultModule } from '@connectivity/vault/vault.module'
import type { EventDispatchConfig } from './config.js'
import { migrations } from './migrations/migrations.js'
import { SendingModule } from './sending/sending.module.js'

/** Event dispatch: reservation events to the partners, by the connections they are for. */
@Module({})
export class EventDispatchModule {
  static with(config: EventDispatchConfig): DynamicModule {
    return {
      module: EventDispatchModule,
      imports: [
        DatabaseModule.with({ url: config.DATABASE_URL, applicationName: config.INSTANCE_NAME, migrations }),
        KafkaModule.with({ brokers: config.KAFKA_BROKERS, instance: config.INSTANCE_NAME, group: 'event-dispatch' }),
        VaultModule.with(config),
        SendingModule.with(config),
        ConnectionsModule,
      ],
    }
  }
}
