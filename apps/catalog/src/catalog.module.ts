import { type DynamicModule, Module } from '@nestjs/common'
import { APP_PIPE } from '@nestjs/core'
import { ConnectionStore } from '@connectivity/connections'
import { databaseAccess, DatabaseModule } from '@connectivity/database'
import { idempotencyRetention } from '@connectivity/mutations'
import { kafkaOptions } from '@connectivity/kafka/broker'
import { KafkaModule } from '@connectivity/kafka/kafka.module'
import { BodyPipe } from '@connectivity/service-kit/http'
import { CatalogPublisher } from './catalogs/catalog.publisher.js'
import { CatalogVersionStore } from './catalogs/catalog-version.store.js'
import { ConnectionCatalogs } from './catalogs/connection-catalogs.service.js'
import type { CatalogConfig } from './config.js'
import { ConnectionArrival } from './intake/connection-arrival.service.js'
import { ConnectionEventsConsumer } from './intake/connection-events.consumer.js'
import { CatalogController } from './calls/catalog.controller.js'
import { MappingStore } from './mappings/mapping.store.js'
import { MappingWriter } from './calls/mapping-writer.service.js'
import { MappingsController } from './calls/mappings.controller.js'
import { OperatorMappingsController } from './calls/operator-mappings.controller.js'
import { migrations } from './migrations/migrations.js'
import { PropertyEventsConsumer } from './intake/property-events.consumer.js'
import { PropertyStore } from './properties/property.store.js'

const consumers = [PropertyEventsConsumer, ConnectionEventsConsumer]
const partnersCalls = [CatalogController, MappingsController]

/** The catalog: consumes properties and connections from Kafka, publishes each connection's view of its property. */
@Module({})
export class CatalogModule {
  static with(config: CatalogConfig): DynamicModule {
    return {
      module: CatalogModule,
      imports: [
        DatabaseModule.with({ ...databaseAccess(config), applicationName: config.INSTANCE_NAME, migrations }),
        KafkaModule.with(kafkaOptions('catalog', config)),
      ],
      controllers: [...consumers, ...partnersCalls, OperatorMappingsController],
      providers: [
        ...[PropertyStore, ConnectionStore, MappingStore, ConnectionArrival],
        ...[CatalogVersionStore, ConnectionCatalogs, CatalogPublisher, MappingWriter, ...idempotencyRetention],
        { provide: APP_PIPE, useClass: BodyPipe },
      ],
    }
  }
}
