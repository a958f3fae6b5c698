import { Injectable } from '@nestjs/common'
import type { Connection } from '@connectivity/contracts/connection-events'
import type { Transaction } from '@connectivity/database'
import { MappingStore } from '../mappings/mapping.store.js'
import type { PropertySnapshot } from '../properties/property-snapshot.js'
import { CatalogPublisher } from './catalog.publisher.js'
import { CatalogVersionStore } from './catalog-version.store.js'
import { connectionCatalog } from './connection-catalog.js'

/** Publishes connections' catalogs within the transaction that changed them. */
@Injectable()
export class ConnectionCatalogs {
  constructor(
    private readonly versions: CatalogVersionStore,
    private readonly mappings: MappingStore,
    private readonly publisher: CatalogPublisher,
  ) {}

  /**
   * Publishes the catalogs of the connections, whose properties must be locked. Skips connections whose property is not
   * given: its first snapshot will publish them.
   */
  async publish(
    tx: Transaction,
    connections: readonly Connection[],
    properties: readonly PropertySnapshot[],
  ): Promise<void> {
    const propertyOf = new Map(properties.map((property) => [property.property_id, property]))
    const published = connections.filter(({ property_id }) => propertyOf.has(property_id))
    if (published.length === 0) return
    const ids = published.map(({ connection_id }) => connection_id)
    const mappings = await this.mappings.ofConnections(tx, ids)
    const versions = await this.versions.raise(tx, ids)
    const catalogs = published.map((connection) => {
      const { connection_id, property_id } = connection
      const property = propertyOf.get(property_id)!
      return connectionCatalog(connection, property, mappings.get(connection_id) ?? [], versions.get(connection_id)!)
    })
    this.publisher.publish(tx, catalogs)
  }
}
