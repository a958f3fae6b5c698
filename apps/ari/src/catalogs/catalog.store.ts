import { Injectable } from '@nestjs/common'
import type { ConnectionCatalog } from '@connectivity/contracts/catalog-events'
import type { Transaction } from '@connectivity/database/database'

/** What each connection sees of its property: this service's copy. */
@Injectable()
export class CatalogStore {
  /** Stores catalogs, one version for each connection; a version lower than or equal to the stored one changes nothing. */
  async save(tx: Transaction, catalogs: readonly ConnectionCatalog[]): Promise<void> {
    if (catalogs.length === 0) return
    const given = catalogs.map((catalog) => ({
      connection_id: catalog.connection_id,
      catalog_version: catalog.catalog_version,
      catalog: JSON.stringify(catalog),
    }))
    await tx.query({
      name: 'catalogs-save',
      text: `INSERT INTO catalog AS known
             SELECT * FROM json_to_recordset($1) AS given (connection_id text, catalog_version bigint, catalog text)
              ORDER BY connection_id
             ON CONFLICT (connection_id) DO UPDATE
               SET catalog_version = excluded.catalog_version, catalog = excluded.catalog
             WHERE known.catalog_version < excluded.catalog_version`,
      values: [JSON.stringify(given)],
    })
  }
}
