import { Injectable } from '@nestjs/common'
import type { ConnectionState, Environment } from '@connectivity/contracts/connection-events'
import { bulkRows, bulkText, bulkValue, Database, textOf, type Transaction } from '@connectivity/database'
import type { PropertySummary } from './property.js'

/** A connection of an application, with the known facts about its property. */
export interface AssignedProperty {
  connection_id: string
  external_property_id: string
  name: string | null
  state: ConnectionState
  environment: Environment
  timezone: string | null
  currency: string | null
  country: string | null
  mapping_version: number
  rooms_mapped: number
  rooms_total: number
  rate_plans_mapped: number
  rate_plans_total: number
  last_change_at: Date | null
  last_polled_at: Date | null
  created_at: Date
  disabled_at: Date | null
  disabled_reason: string | null
}

const ASSIGNED = `
  SELECT c.connection_id, coalesce(p.external_property_id, c.external_property_id) AS external_property_id,
         p.name, c.state, c.environment, p.timezone, p.currency, p.country,
         coalesce(p.mapping_version, 1)::integer AS mapping_version,
         coalesce(p.rooms_mapped, 0) AS rooms_mapped, coalesce(p.rooms_total, 0) AS rooms_total,
         coalesce(p.rate_plans_mapped, 0) AS rate_plans_mapped, coalesce(p.rate_plans_total, 0) AS rate_plans_total,
         a.last_change_at, a.last_polled_at, c.created_at, c.disabled_at, c.public_reason AS disabled_reason
    FROM connection c
    LEFT JOIN property p USING (connection_id)
    LEFT JOIN connection_activity a USING (connection_id)
   WHERE c.application_id = $1 AND ($2::text IS NULL OR c.connection_id = $2)
   ORDER BY c.connection_id`

/** Fields of a summary in the order of the table's columns; as `json`, texts of any characters. */
const KEPT = [
  ['connectionId', 'text'],
  ['catalogVersion', 'bigint'],
  ['mappingVersion', 'bigint'],
  ['externalPropertyId', 'json'],
  ['name', 'json'],
  ['timezone', 'json'],
  ['currency', 'json'],
  ['country', 'json'],
  ['roomsMapped', 'integer'],
  ['roomsTotal', 'integer'],
  ['ratePlansMapped', 'integer'],
  ['ratePlansTotal', 'integer'],
] as const satisfies readonly [keyof PropertySummary, string][]

const columnOf = (field: string): string => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const COLUMNS = KEPT.map(([field]) => columnOf(field))
const [, ...FACTS] = COLUMNS
const GIVEN = KEPT.map(([field, type]) => (type === 'json' ? textOf(columnOf(field)) : columnOf(field)))

/** The gateway's own copy of the catalogs' summaries, for the properties behind its connections. */
@Injectable()
export class PropertyStore {
  constructor(private readonly database: Database) {}

  /** @param only restricts the list to one connection */
  async assigned(applicationId: string, only: string | null): Promise<AssignedProperty[]> {
    const query = { name: 'assigned-properties', text: ASSIGNED, values: [applicationId, only] }
    return (await this.database.query<AssignedProperty>(query)).rows
  }

  /**
   * Keeps the newest summary of each connection.
   * @param summaries at most one for each connection
   * @returns ids of the connections whose external id may have changed
   */
  async keep(tx: Transaction, summaries: readonly PropertySummary[]): Promise<string[]> {
    const { rows } = await tx.query<{ connection_id: string }>({
      name: 'keep-properties',
      text: `INSERT INTO property AS known
             SELECT ${GIVEN.join(', ')} FROM ${bulkRows(KEPT.map(([, type]) => type))} AS seen (${COLUMNS.join(', ')})
              ORDER BY connection_id
             ON CONFLICT (connection_id) DO UPDATE SET
               (${FACTS.join(', ')}) = (${FACTS.map((name) => `excluded.${name}`).join(', ')})
             WHERE excluded.catalog_version > known.catalog_version
             RETURNING connection_id`,
      values: KEPT.map(([field, type]) =>
        type === 'json'
          ? bulkText(summaries.map((summary) => summary[field]))
          : bulkValue(summaries.map((summary) => summary[field])),
      ),
    })
    return rows.map(({ connection_id }) => connection_id)
  }

  /** @param times connection id → ISO timestamp of its newest change */
  async recordChanges(tx: Transaction, times: ReadonlyMap<string, string>): Promise<void> {
    await tx.query({
      name: 'record-changes',
      text: `INSERT INTO connection_activity AS known (connection_id, last_change_at)
             SELECT * FROM ${bulkRows(['text', 'timestamptz'])} AS seen (id, at) ORDER BY id
             ON CONFLICT (connection_id) DO UPDATE
               SET last_change_at = greatest(known.last_change_at, excluded.last_change_at)`,
      values: [bulkValue([...times.keys()]), bulkValue([...times.values()])],
    })
  }
}
