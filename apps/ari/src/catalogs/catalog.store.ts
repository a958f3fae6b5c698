import { Injectable } from '@nestjs/common'
import type { ConnectionCatalog } from '@connectivity/contracts/catalog-events'
import { bulkRows, bulkValue } from '@connectivity/database/bulk'
import type { Queryable, Transaction } from '@connectivity/database/transaction'

/** This service's copy of each connection's catalog. */
@Injectable()
export class CatalogStore {
  /** Stores catalogs, one version per connection; a version lower than or equal to the stored one changes nothing. */
  async save(tx: Transaction, catalogs: readonly ConnectionCatalog[]): Promise<void> {
    if (catalogs.length === 0) return
    await tx.query({
      name: 'catalogs-save',
      text: `INSERT INTO catalog AS known
             SELECT * FROM ${bulkRows(['text', 'bigint', 'text'])} AS given (connection_id) ORDER BY connection_id
             ON CONFLICT (connection_id) DO UPDATE
               SET catalog_version = excluded.catalog_version, catalog = excluded.catalog
             WHERE known.catalog_version < excluded.catalog_version`,
      values: [
        bulkValue(catalogs.map(({ connection_id }) => connection_id)),
        bulkValue(catalogs.map(({ catalog_version }) => catalog_version)),
        bulkValue(catalogs.map((catalog) => JSON.stringify(catalog))),
      ],
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
