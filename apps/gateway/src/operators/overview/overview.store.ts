import { Injectable } from '@nestjs/common'
import type { ConnectionState } from '@connectivity/contracts/connection-events'
import { Database } from '@connectivity/database/database'
import type { PageRequest } from '@connectivity/service-kit/operators-page'

/** The gateway's own facts about a connection's health. */
export interface ConnectionOverview {
  property_id: string
  application_id: string
  /** The booking engine's property id. */
  source_property_id: string
  state: ConnectionState
  last_change_at: Date | null
  last_polled_at: Date | null
}

const OVERVIEW = `
  SELECT c.connection_id AS property_id, c.application_id, c.source_property_id, c.state, a.last_change_at, a.last_polled_at
    FROM connection c
    LEFT JOIN connection_activity a USING (connection_id)
   WHERE c.connection_id > $1
   ORDER BY c.connection_id
   LIMIT $2`

/** Connections with their activity, read in one query. */
@Injectable()
export class OverviewStore {
  constructor(private readonly database: Database) {}

  /** Oldest first, one more than the page's limit. */
  async list({ limit, after }: PageRequest): Promise<ConnectionOverview[]> {
    const query = { name: 'overview', text: OVERVIEW, values: [after ?? '', limit + 1] }
    return (await this.database.query<ConnectionOverview>(query)).rows
  }
}
