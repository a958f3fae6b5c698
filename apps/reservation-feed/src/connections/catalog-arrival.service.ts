import { Injectable } from '@nestjs/common'
import { type ConnectionCatalog, latestCatalogs } from '@connectivity/contracts/catalog-events'
import type { Transaction } from '@connectivity/database'
import { BookingStore } from '../projection/booking.store.js'
import { lockProperties } from '../projection/property-lock.store.js'
import { fillFloor } from '../projection/stamps.js'
import { ConnectionStore } from './connection.store.js'

const byId = ({ connection_id: a }: ConnectionCatalog, { connection_id: b }: ConnectionCatalog): number =>
  a < b ? -1 : a > b ? 1 : 0

/**
 * Stores a connection's catalog. The first one starts filling its feed from the existing bookings, so the order in
 * which bookings, connections and catalogs arrive makes no difference. A later one renders the live rows again.
 */
@Injectable()
export class CatalogArrival {
  constructor(
    private readonly connections: ConnectionStore,
    private readonly bookings: BookingStore,
  ) {}

  /** Takes the highest version of each connection's catalog, in id order like every writer that locks the heads. */
  async take(tx: Transaction, catalogs: readonly ConnectionCatalog[]): Promise<void> {
    if (catalogs.length === 0) return
    await lockProperties(tx, [...new Set(catalogs.map(({ property_id }) => property_id))], 'exclusive')
    for (const catalog of latestCatalogs(catalogs).sort(byId)) await this.takeOne(tx, catalog)
  }

  private async takeOne(tx: Transaction, catalog: ConnectionCatalog): Promise<void> {
    const { state, catalogVersion, lastStamp, clock } = await this.connections.standing(tx, catalog.connection_id)
    if (state === 'closed' || catalog.catalog_version <= catalogVersion) return
    if (state !== 'waiting') {
      await this.connections.saveCatalog(tx, catalog, { state, fillFloor: 0, rendered: false })
      return
    }
    const bookings = await this.bookings.countVisible(tx, catalog.property_id)
    await this.connections.saveCatalog(tx, catalog, {
      state: bookings > 0 ? 'filling' : 'live',
      fillFloor: fillFloor(lastStamp, clock, bookings),
      rendered: bookings === 0,
    })
  }
}
