import { Injectable } from '@nestjs/common'
import type { ConnectionCatalog } from '@connectivity/contracts/catalog-events'
import type { Queryable, Transaction } from '@connectivity/database/transaction'

/** This service's copy of each connection's catalog. */
@Injectable()
export class CatalogStore {
  /** Stores catalogs, one version per connection; a version lower than or equal to the stored one changes nothing. */
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

  /**
   * Returns the connection's catalog if its version differs from the caller's.
   * @returns its version, 0 while none has arrived; the catalog is null if the version is the known one
   */
  async changed(
    on: Queryable,
    connectionId: string,
    knownVersion: number,
  ): Promise<{ version: number; catalog: ConnectionCatalog | null }> {
    const { rows } = await on.query<{ catalog_version: string; catalog: string | null }>({
      name: 'catalog-changed',
      text: `SELECT catalog_version, CASE WHEN catalog_version <> $2 THEN catalog END AS catalog
               FROM catalog WHERE connection_id = $1`,
      values: [connectionId, knownVersion],
    })
    if (!rows[0]) return { version: 0, catalog: null }
    const { catalog_version, catalog } = rows[0]
    return {
      version: Number(catalog_version),
      catalog: catalog === null ? null : (JSON.parse(catalog) as ConnectionCatalog),
    }
  }
}
