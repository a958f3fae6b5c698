import { Injectable } from '@nestjs/common'
import { bulkColumn, bulkRows, bulkValue, type Queryable, queryRows, type Transaction } from '@connectivity/database'
import type { PropertySnapshot } from '../properties/property-snapshot.js'
import type { MappingChange } from './mapping-rules.js'
import type { Mapping } from './mapping.js'

/** A connection's mapping and the property that it maps, as of one moment. */
export interface MappingState {
  /** Number of catalogs published for the connection, which include its mapping; 0 before the first one. */
  catalogVersion: number
  mappingVersion: number
  mappings: Mapping[]
  /** Null until the property's first snapshot has arrived. */
  property: PropertySnapshot | null
}

type StateRow = [catalogVersion: string, mappingVersion: string, mappings: Mapping[], snapshot: string | null]

const entityColumns = (entities: MappingChange['unset']): string[] => [
  bulkValue(entities.map(({ entity_type }) => entity_type)),
  bulkValue(entities.map(({ service_id }) => service_id)),
]

/** Partners' ids for properties, rooms and rate plans. */
@Injectable()
export class MappingStore {
  /** Mappings of the connections, by connection id; a connection without any is absent. */
  async ofConnections(tx: Transaction, connectionIds: readonly string[]): Promise<Map<string, Mapping[]>> {
    const { rows } = await tx.query<Mapping & { connection_id: string }>({
      name: 'mappings-of-connections',
      text: `SELECT connection_id, entity_type, service_id, external_id FROM mapping
              WHERE connection_id = ANY (${bulkColumn(1, 'text')})`,
      values: [bulkValue(connectionIds)],
    })
    return Map.groupBy(rows, ({ connection_id }) => connection_id)
  }

  /** The mapping and its property, read in one statement and so consistent. */
  async state(on: Queryable, connectionId: string): Promise<MappingState> {
    const rows = await queryRows<StateRow>(on, {
      name: 'mapping-state',
      text: `SELECT coalesce((SELECT catalog_version FROM catalog_version WHERE connection_id = $1), 0),
                    coalesce((SELECT mapping_version FROM catalog_version WHERE connection_id = $1), 0),
                    coalesce((SELECT json_agg(json_build_object('entity_type', entity_type, 'service_id', service_id,
                                                                'external_id', external_id)
                                              ORDER BY entity_type DESC, service_id)
                                FROM mapping WHERE connection_id = $1), '[]'),
                    (SELECT snapshot FROM property JOIN connection USING (property_id) WHERE connection_id = $1)`,
      values: [connectionId],
    })
    const [catalogVersion, mappingVersion, mappings, snapshot] = rows[0]!
    const property = snapshot === null ? null : (JSON.parse(snapshot) as PropertySnapshot)
    return { catalogVersion: Number(catalogVersion), mappingVersion: Number(mappingVersion), mappings, property }
  }

  /** Changes ids of one connection. Two entities may swap theirs: uniqueness is checked at the end. */
  async apply(tx: Transaction, connectionId: string, { set, unset }: MappingChange): Promise<void> {
    await tx.query({
      name: 'mappings-unset',
      text: `DELETE FROM mapping USING ${bulkRows(['text', 'text'], 2)} AS gone (entity_type, service_id)
              WHERE connection_id = $1 AND mapping.entity_type = gone.entity_type AND mapping.service_id = gone.service_id`,
      values: [connectionId, ...entityColumns(unset)],
    })
    await tx.query({
      name: 'mappings-set',
      text: `INSERT INTO mapping (connection_id, entity_type, service_id, external_id)
             SELECT $1, * FROM ${bulkRows(['text', 'text', 'text'], 2)}
             ON CONFLICT (connection_id, entity_type, service_id) DO UPDATE SET external_id = excluded.external_id`,
      values: [connectionId, ...entityColumns(set), bulkValue(set.map(({ external_id }) => external_id))],
    })
  }
}
