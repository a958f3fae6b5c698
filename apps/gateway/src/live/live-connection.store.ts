import type { Queryable } from '@connectivity/database'
import type { LiveConnection } from './live-connection.js'

const SELECT = {
  name: 'live-connection',
  text: `SELECT c.connection_id AS "connectionId", c.application_id AS "applicationId", c.state,
                coalesce(p.external_property_id, c.external_property_id) AS "externalPropertyId"
           FROM connection c LEFT JOIN property p USING (connection_id)
          WHERE c.connection_id = $1`,
}

/** The current connection, with the partner's latest code of its property. */
export async function findLiveConnection(on: Queryable, id: string): Promise<LiveConnection | null> {
  const { rows } = await on.query<LiveConnection>({ ...SELECT, values: [id] })
  return rows[0] ?? null
}
