import { Injectable } from '@nestjs/common'
import type { ConnectionState, Environment } from '@connectivity/contracts/connection-events'
import { bulkColumn, bulkValue } from '@connectivity/database/bulk'
import { Database } from '@connectivity/database/database'
import type { PageRequest } from '@connectivity/service-kit/operators-page'

/** The gateway's own facts about a connection's health. */
export interface ConnectionOverview {
  property_id: string
  application_id: string
  /** The booking engine's property id. */
  source_property_id: string
  state: ConnectionState
  environment: Environment
  application_name: string
  /** Null until the catalog has arrived. */
  property_name: string | null
  external_property_id: string
  last_change_at: Date | null
  last_polled_at: Date | null
}

/** Which connections to show; null: any. */
export interface OverviewFilter {
  state: ConnectionState | null
  applicationId: string | null
  /** Only live connections that have not polled for so many seconds, or ever. */
  silentFor: number | null
  /** Only these connections. */
  ids: readonly string[] | null
}

const OVERVIEW = `
  SELECT c.connection_id AS property_id, c.application_id, c.source_property_id, c.state, c.environment,
         s.name AS application_name, p.name AS property_name,
         coalesce(p.external_property_id, c.external_property_id) AS external_property_id,
         a.last_change_at, a.last_polled_at
    FROM connection c JOIN application s USING (application_id)
    LEFT JOIN property p USING (connection_id)
    LEFT JOIN connection_activity a USING (connection_id)
   WHERE c.connection_id > $1 AND ($3::text IS NULL OR c.state = $3) AND ($4::text IS NULL OR c.application_id = $4)
     AND ($5::integer IS NULL OR c.state IN ('pilot', 'certification_pending', 'production')
          AND coalesce(a.last_polled_at, c.created_at) < now() - $5 * interval '1 second')
     AND ($6::text IS NULL OR c.connection_id = ANY (${bulkColumn(6, 'text')}))
   ORDER BY c.connection_id
   LIMIT $2`

/** Connections with their activity, read in one query. */
@Injectable()
export class OverviewStore {
  constructor(private readonly database: Database) {}

  /** Oldest first, one more than the page's limit. */
  async list(filter: OverviewFilter, { limit, after }: PageRequest): Promise<ConnectionOverview[]> {
    const { state, applicationId, silentFor, ids } = filter
    const values = [after ?? '', limit + 1, state, applicationId, silentFor, ids && bulkValue(ids)]
    const query = { name: 'overview', text: OVERVIEW, values }
    return (await this.database.query<ConnectionOverview>(query)).rows
  }
}
