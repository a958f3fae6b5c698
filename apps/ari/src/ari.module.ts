import { type DynamicModule, Module } from '@nestjs/common'
import { APP_PIPE } from '@nestjs/core'
import { ConnectionsModule } from '@connectivity/connections'
import { databaseAccess, DatabaseModule, GENERIC_PLANS } from '@connectivity/database'
import { idempotencyRetention } from '@connectivity/mutations'
import { kafkaOptions } from '@connectivity/kafka/broker'
import { KafkaModule } from '@connectivity/kafka/kafka.module'
import { BodyPipe } from '@connectivity/service-kit/http'
import { AppliedCatalogController } from './catalogs/applied-catalog.controller.js'
import { CatalogEventsConsumer } from './catalogs/catalog-events.consumer.js'
import { CatalogStore } from './catalogs/catalog.store.js'
import { PropertyCatalogs } from './catalogs/property-catalogs.service.js'
import { ARI_CONFIG, type AriConfig } from './config.js'
import { AriController } from './calls/ari.controller.js'
import { AriCalls } from './calls/ari-calls.service.js'
import { AriUpdatesPublisher } from './writing/ari-updates.publisher.js'
import { AriWriter } from './writing/ari-writer.service.js'
import { CallGroups } from './calls/call-groups.service.js'
import { CellStore } from './cells/cell.store.js'
import { GroupCellStore } from './cells/group-cell.store.js'
import { GroupWriter } from './writing/group-writer.service.js'
import { PropertyStore } from './cells/property.store.js'
import { PropertyTurns } from './calls/property-turns.service.js'
import { LargeStateStore } from './reading/large-state.store.js'
import { LargeStates } from './reading/large-states.service.js'
import { Pruning } from './pruning/pruning.service.js'
import { PruningStore } from './pruning/pruning.store.js'
import { SeriesStore } from './cells/series.store.js'
import { StateStore } from './reading/state.store.js'
import { WriterPlaces } from './calls/writer-places.service.js'
import { migrations } from './migrations/migrations.js'

/**
 * ARI: availability, rates and restrictions of every property; connections and catalogs for checking writes.
 *
 * There are two writers (decision 28): `AriCalls` gives groups of small calls to `GroupWriter`, which merges cells in
 * memory, and large calls to `AriWriter`, which merges them in SQL. The specs of both compare them with one model,
 * `test/model-inventory.ts`.
 */
@Module({})
export class AriModule {
  static with(config: AriConfig): DynamicModule {
    return {
      module: AriModule,
      imports: [
        DatabaseModule.with({
          ...databaseAccess(config),
          applicationName: config.INSTANCE_NAME,
          migrations,
          // Planning the check of a catalog's version costs more than running it.
          settings: GENERIC_PLANS,
        }),
        KafkaModule.with(kafkaOptions('ari', config)),
        ConnectionsModule,
      ],
      controllers: [CatalogEventsConsumer, AppliedCatalogController, AriController],
      providers: [
        ...[
          CatalogStore,
          PropertyStore,
          SeriesStore,
          CellStore,
          GroupCellStore,
          StateStore,
          LargeStateStore,
          LargeStates,
          PruningStore,
        ],
        ...[PropertyCatalogs, PropertyTurns, WriterPlaces, AriWriter, GroupWriter, CallGroups, AriCalls],
        ...[AriUpdatesPublisher, Pruning, ...idempotencyRetention],
        { provide: APP_PIPE, useClass: BodyPipe },
        { provide: ARI_CONFIG, useValue: config },
      ],
    }
  }
}
