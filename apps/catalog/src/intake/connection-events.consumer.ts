import { Controller } from '@nestjs/common'
import { Payload } from '@nestjs/microservices'
import { ConnectionStore } from '@connectivity/connections'
import { latestConnections, parseConnectionEvent } from '@connectivity/contracts/connection-events'
import { OnBatch, TopicBatch } from '@connectivity/kafka/consuming'
import { CatalogVersionStore } from '../catalogs/catalog-version.store.js'
import { ConnectionCatalogs } from '../catalogs/connection-catalogs.service.js'
import { PropertyStore } from '../properties/property.store.js'

/** Consumes the gateway's events about connections. */
@Controller()
export class ConnectionEventsConsumer {
  constructor(
    private readonly properties: PropertyStore,
    private readonly connections: ConnectionStore,
    private readonly versions: CatalogVersionStore,
    private readonly catalogs: ConnectionCatalogs,
  ) {}

  @OnBatch('connectivity.connections.v1')
  async handle(@Payload() batch: TopicBatch): Promise<void> {
    const given = latestConnections(batch.parse(parseConnectionEvent).map(({ value }) => value))
    if (given.length === 0) return
    const properties = await this.properties.lock(
      batch.tx,
      given.map(({ property_id }) => property_id),
    )
    const ids = given.map(({ connection_id }) => connection_id)
    const known = await this.connections.find(batch.tx, ids)
    await this.connections.save(batch.tx, given)
    // Later events change only the state, which catalogs do not contain.
    const created = given.filter(({ connection_id }) => !known.has(connection_id))
    // Clients that read the mapping before the connection arrived got an empty list.
    await this.versions.raiseMapping(
      batch.tx,
      created.map(({ connection_id }) => connection_id),
    )
    const arrived = [...properties.values()].filter((snapshot) => snapshot !== null)
    await this.catalogs.publish(batch.tx, created, arrived)
  }
}
