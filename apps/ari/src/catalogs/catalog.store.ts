import { Injectable } from '@nestjs/common'
import type { ConnectionCatalog } from '@connectivity/contracts/catalog-events'
import { bulkRows, bulkValue, type Queryable, queryRows, type Transaction } from '@connectivity/database'

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
   * Returns each connection's catalog if its version differs from the caller's.
   * @returns by connection its version, and the catalog, null if the version is the known one; connections without a
   *   catalog are missing
   */
  async changed(
    on: Queryable,
    known: ReadonlyMap<string, number>,
  ): Promise<Map<string, { version: number; catalog: ConnectionCatalog | null }>> {
    const rows = await queryRows<[connectionId: string, version: string, catalog: string | null]>(on, {
      name: 'catalogs-changed',
      // LIMIT makes PostgreSQL look each connection up by itself, however small the table was when it planned.
      text: `SELECT known.connection_id, catalog_version, catalog
               FROM ${bulkRows(['text', 'bigint'])} AS known (connection_id, version),
                    LATERAL (SELECT catalog_version, CASE WHEN catalog_version <> version THEN catalog END AS catalog
                               FROM catalog AS stored WHERE stored.connection_id = known.connection_id LIMIT 1) AS found`,
      values: [bulkValue([...known.keys()]), bulkValue([...known.values()])],
    })
    const parsed = (text: string | null) => (text === null ? null : (JSON.parse(text) as ConnectionCatalog))
    return new Map(rows.map(([id, version, text]) => [id, { version: Number(version), catalog: parsed(text) }]))
  }
}
