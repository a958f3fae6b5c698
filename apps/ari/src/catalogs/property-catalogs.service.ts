import { Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import { Database } from '@connectivity/database/database'
import { CatalogStore } from './catalog.store.js'
import { type PropertyCatalog, propertyCatalog } from './property-catalog.js'

/** Most catalogs cached; a large one takes about 2 MB. */
const MOST_KEPT = 64

/** Current catalogs of connections. Checks the version in the database every time; parses each version once. */
@Injectable()
export class PropertyCatalogs {
  /** In order of use, the most recent last. */
  private readonly kept = new Map<string, PropertyCatalog>()

  constructor(
    private readonly database: Database,
    private readonly catalogs: CatalogStore,
  ) {}

  /** @throws ServiceError 503 `service_unavailable` while the connection's catalog has not arrived */
  async of(connectionId: string): Promise<PropertyCatalog> {
    const known = this.kept.get(connectionId)
    const { version, catalog } = await this.catalogs.changed(this.database, connectionId, known?.version ?? 0)
    const current = catalog ? propertyCatalog(catalog) : known
    if (version === 0 || !current) throw notArrived()
    this.keep(connectionId, current)
    return current
  }

  private keep(connectionId: string, catalog: PropertyCatalog): void {
    this.kept.delete(connectionId)
    this.kept.set(connectionId, catalog)
    const [oldest] = this.kept.keys()
    if (this.kept.size > MOST_KEPT) this.kept.delete(oldest!)
  }
}

const notArrived = (): ServiceError =>
  new ServiceError(
    'service_unavailable',
    'The rooms and rate plans of this property are still on their way here; try again in a moment.',
    { retryAfterSeconds: 2 },
  )
