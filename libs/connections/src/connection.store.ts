import { Injectable } from '@nestjs/common'
import type { Connection } from '@connectivity/contracts/connection-events'
import {
  bulkColumn,
  bulkRows,
  bulkText,
  bulkValue,
  type Queryable,
  textOf,
  type Transaction,
} from '@connectivity/database'

/** Version as a number: bigint columns reach us as text. */
type ConnectionRow = Omit<Connection, 'version'> & { version: string }

const toConnection = (row: ConnectionRow): Connection => ({ ...row, version: Number(row.version) })

/** A service's own copy of the connections. */
@Injectable()
export class ConnectionStore {
  /** The stored connections among the given ids, by id. */
  async find(on: Queryable, ids: readonly string[]): Promise<Map<string, Connection>> {
    const { rows } = await on.query<ConnectionRow>({
      name: 'connections-find',
      text: `SELECT connection_id, application_id, property_id, external_property_id, environment, state, version
               FROM connection WHERE connection_id = ANY (${bulkColumn(1, 'text')})`,
      values: [bulkValue(ids)],
    })
    return new Map(rows.map((row) => [row.connection_id, toConnection(row)]))
  }

  /** All connections of the properties, in id order. */
  async ofProperties(tx: Transaction, propertyIds: readonly string[]): Promise<Connection[]> {
    const { rows } = await tx.query<ConnectionRow>({
      name: 'connections-of-properties',
      text: `SELECT connection_id, application_id, property_id, external_property_id, environment, state, version
               FROM connection WHERE property_id = ANY (${bulkColumn(1, 'text')}) ORDER BY connection_id`,
      values: [bulkValue(propertyIds)],
    })
    return rows.map(toConnection)
  }

  /** Stores connections, one version of each; a version lower than or equal to the stored one changes nothing. */
  async save(tx: Transaction, connections: readonly Connection[]): Promise<void> {
    if (connections.length === 0) return
    await tx.query({
      name: 'connections-save',
      text: `INSERT INTO connection AS known
             SELECT connection_id, application_id, property_id, ${textOf('external_property_id')}, environment, state, version
               FROM ${bulkRows(['text', 'text', 'text', 'json', 'text', 'text', 'bigint'])} AS given
                    (connection_id, application_id, property_id, external_property_id, environment, state, version)
              ORDER BY connection_id
             ON CONFLICT (connection_id) DO UPDATE
               SET application_id = excluded.application_id, property_id = excluded.property_id,
                   external_property_id = excluded.external_property_id, environment = excluded.environment,
                   state = excluded.state, version = excluded.version
             WHERE known.version < excluded.version`,
      values: [
        bulkValue(connections.map((one) => one.connection_id)),
        bulkValue(connections.map((one) => one.application_id)),
        bulkValue(connections.map((one) => one.property_id)),
        bulkText(connections.map((one) => one.external_property_id)),
        bulkValue(connections.map((one) => one.environment)),
        bulkValue(connections.map((one) => one.state)),
        bulkValue(connections.map((one) => one.version)),
      ],
    })
  }
}
