import { type DynamicModule, Module } from '@nestjs/common'
import { ConnectionsModule } from '@connectivity/connections/connections.module'
import { DatabaseModule } from '@connectivity/database/database.module'
import { KafkaModule } from '@connectivity/kafka/kafka.module'
import { CatalogEventsConsumer } from './catalogs/catalog-events.consumer.js'
import { CatalogStore } from './catalogs/catalog.store.js'
import type { AriConfig } from './config.js'
import { migrations } from './migrations/migrations.js'

/** ARI: availability, rates and restrictions of every property, with the connections and catalogs that writes are judged by. */
@Module({})
export class AriModule {
  static with(config: AriConfig): DynamicModule {
    return {
      module: AriModule,
      imports: [
        DatabaseModule.with({ url: config.DATABASE_URL, applicationName: config.INSTANCE_NAME, migrations }),
        KafkaModule.with({ brokers: config.KAFKA_BROKERS, instance: config.INSTANCE_NAME, group: 'ari' }),
        ConnectionsModule,
      ],
      controllers: [CatalogEventsConsumer],
      providers: [CatalogStore],
    }
  }
}
