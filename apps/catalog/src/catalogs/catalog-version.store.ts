import { Injectable } from '@nestjs/common'
import { bulkRows, bulkValue, type Transaction } from '@connectivity/database'
import type { CatalogVersions } from './connection-catalog.js'

/** Version counters of each connection's catalog and mapping. */
@Injectable()
export class CatalogVersionStore {
  /** Increments each connection's catalog version. The connections' properties must be locked. */
  async raise(tx: Transaction, connectionIds: readonly string[]): Promise<Map<string, CatalogVersions>> {
    const { rows } = await tx.query<{ connection_id: string; catalog_version: string; mapping_version: string }>({
      name: 'catalog-versions-raise',
      text: `INSERT INTO catalog_version AS known (connection_id, catalog_version)
             SELECT id, 1 FROM ${bulkRows(['text'])} AS id ORDER BY id
             ON CONFLICT (connection_id) DO UPDATE SET catalog_version = known.catalog_version + 1
             RETURNING connection_id, catalog_version, mapping_version`,
      values: [bulkValue(connectionIds)],
    })
    return new Map(
      rows.map(({ connection_id, catalog_version, mapping_version }) => [
        connection_id,
        { catalog_version: Number(catalog_version), mapping_version: Number(mapping_version) },
      ]),
    )
  }

  /** Raises the mapping version of each connection, also when mappable entities changed. Properties must be locked. */
  async raiseMapping(tx: Transaction, connectionIds: readonly string[]): Promise<void> {
    await tx.query({
      name: 'mapping-versions-raise',
      text: `INSERT INTO catalog_version AS known (connection_id, mapping_version)
             SELECT id, 1 FROM ${bulkRows(['text'])} AS id ORDER BY id
             ON CONFLICT (connection_id) DO UPDATE SET mapping_version = known.mapping_version + 1`,
      values: [bulkValue(connectionIds)],
    })
  }
}
