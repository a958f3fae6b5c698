import { Injectable } from '@nestjs/common'
import type { Transaction } from '@connectivity/database/database'
import type { Mapping } from './mapping.js'

/** What the partners call properties, rooms and rate plans. */
@Injectable()
export class MappingStore {
  /** Mappings of the connections, by connection id; a connection without any is absent. */
  async ofConnections(tx: Transaction, connectionIds: readonly string[]): Promise<Map<string, Mapping[]>> {
    const { rows } = await tx.query<Mapping & { connection_id: string }>({
      name: 'mappings-of-connections',
      text: `SELECT connection_id, entity_type, service_id, external_id FROM mapping
              WHERE connection_id IN (SELECT json_array_elements_text($1))`,
      values: [JSON.stringify(connectionIds)],
    })
    return Map.groupBy(rows, ({ connection_id }) => connection_id)
  }
}
