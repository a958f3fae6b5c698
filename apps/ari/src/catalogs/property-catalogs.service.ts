import { Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import { Database } from '@connectivity/database'
import { Gathering, poll } from '@connectivity/service-kit/work'
import { LRUCache } from 'lru-cache'
import { CatalogStore } from './catalog.store.js'
import { type PropertyCatalog, propertyCatalog } from './property-catalog.js'

/** Most catalogs cached; a large one takes about 2 MB. */
const MOST_KEPT = 64

/** Longest wait for a version, as during a roll-out, and time between two looks at it, ms. */
const PATIENCE = 6_000
const LOOK_AGAIN = 50

/** Most lookups of one statement. */
const LOOKUPS = 64

/**
 * Current catalogs of connections. Checks the version in the database every time, in one statement for the lookups that
 * have gathered; parses each version once.
 */
@Injectable()
export class PropertyCatalogs {
  private readonly kept = new LRUCache<string, PropertyCatalog>({ max: MOST_KEPT })
  private readonly lookups: Gathering<string, PropertyCatalog | null>

  constructor(
    private readonly database: Database,
    private readonly catalogs: CatalogStore,
  ) {
    this.lookups = new Gathering({ batches: 1, most: LOOKUPS }, (connectionIds) => this.lookUp(connectionIds))
  }

  /**
   * @param least the lowest version that will do
   * @throws ServiceError 503 `service_unavailable` when the connection's catalog has not arrived, or that version does
   *   not arrive within 6 s
   */
  async of(connectionId: string, least = 0): Promise<PropertyCatalog> {
    const look = async () => {
      const current = await this.lookups.add(connectionId)
      if (!current) throw notArrived()
      return current.version >= least ? current : null
    }
    const found = await poll(look, { within: PATIENCE, every: LOOK_AGAIN })
    if (!found) throw notArrived()
    return found
  }

  /** Version of the connection's catalog; 0 while it has not arrived. */
  async versionOf(connectionId: string): Promise<number> {
    const current = await this.lookups.add(connectionId)
    return current?.version ?? 0
  }

  private async lookUp(connectionIds: readonly string[]): Promise<(PropertyCatalog | null)[]> {
    const known = new Map(connectionIds.map((id) => [id, this.kept.get(id)]))
    const versions = new Map([...known].map(([id, catalog]) => [id, catalog?.version ?? 0]))
    const found = await this.catalogs.changed(this.database, versions)
    for (const [id, { catalog }] of found) {
      const current = catalog ? propertyCatalog(catalog) : known.get(id)
      known.set(id, current)
      if (current) this.kept.set(id, current)
    }
    return connectionIds.map((id) => (found.has(id) ? (known.get(id) ?? null) : null))
  }
}

const notArrived = (): ServiceError =>
  new ServiceError(
    'service_unavailable',
    'The rooms and rate plans of this property have not arrived yet; try again in a moment.',
    { retryAfterSeconds: 2 },
  )
