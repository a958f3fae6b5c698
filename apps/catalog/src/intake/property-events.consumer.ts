import { Controller } from '@nestjs/common'
import { Payload } from '@nestjs/microservices'
import { ConnectionStore } from '@connectivity/connections'
import { parsePropertyEvent } from '@connectivity/contracts/property-events'
import { OnBatch, TopicBatch } from '@connectivity/kafka/consuming'
import { CatalogVersionStore } from '../catalogs/catalog-version.store.js'
import { ConnectionCatalogs } from '../catalogs/connection-catalogs.service.js'
import { takeVersions } from '../properties/property-snapshot.js'
import { PropertyStore } from '../properties/property.store.js'

/** Consumes the booking engine's events about properties. */
@Controller()
export class PropertyEventsConsumer {
  constructor(
    private readonly properties: PropertyStore,
    private readonly connections: ConnectionStore,
    private readonly versions: CatalogVersionStore,
    private readonly catalogs: ConnectionCatalogs,
  ) {}

  @OnBatch('booking.properties.v1')
  async handle(@Payload() batch: TopicBatch): Promise<void> {
    const events = batch.parse(parsePropertyEvent).map(({ value }) => value)
    if (events.length === 0) return
    const versions = Map.groupBy(events, ({ property_id }) => property_id)
    const known = await this.properties.lock(batch.tx, versions.keys())
    const at = new Date().toISOString()
    const changes = [...versions].flatMap(([id, given]) => takeVersions(known.get(id) ?? null, given, at) ?? [])
    await this.properties.save(
      batch.tx,
      changes.map(({ snapshot }) => snapshot),
    )
    const differing = changes.filter(({ differs }) => differs).map(({ snapshot }) => snapshot)
    const connections = await this.connections.ofProperties(
      batch.tx,
      differing.map(({ property_id }) => property_id),
    )
    const relisted = new Set(changes.filter((change) => change.relisted).map(({ snapshot }) => snapshot.property_id))
    const affected = connections.filter(({ property_id }) => relisted.has(property_id))
    await this.versions.raiseMapping(
      batch.tx,
      affected.map(({ connection_id }) => connection_id),
    )
    await this.catalogs.publish(batch.tx, connections, differing)
  }
}
