import { Injectable } from '@nestjs/common'
import type { ConnectionState } from '@connectivity/contracts/connection-events'
import { Database } from '@connectivity/database/database'
import { Changes } from '../live-state/changes.js'
import { showLookups } from '../live-state/cache-metrics.js'
import { LiveCache } from '../live-state/live-cache.js'

/** A connection as the door needs it. */
export interface LiveConnection {
  connectionId: string
  applicationId: string
  externalPropertyId: string
  state: ConnectionState
}

const SELECT = {
  name: 'live-connection',
  text: `SELECT c.connection_id AS "connectionId", c.application_id AS "applicationId", c.state,
                coalesce(p.external_property_id, c.external_property_id) AS "externalPropertyId"
           FROM connection c LEFT JOIN property p USING (connection_id)
          WHERE c.connection_id = $1`,
}

/** Connections by id, from memory. */
@Injectable()
export class LiveConnections {
  private readonly cache: LiveCache<LiveConnection>

  constructor(database: Database, changes: Changes) {
    const load = async (id: string) => {
      const { rows } = await database.reads.query<LiveConnection>({ ...SELECT, values: [id] })
      return rows[0] ?? null
    }
    this.cache = new LiveCache(load, changes.currentEra)
    showLookups('connections', this.cache)
    changes.onChange((kind, id) => {
      if (kind === 'connection') this.cache.drop(id)
    })
  }

  peek(connectionId: string): LiveConnection | null | undefined {
    return this.cache.peek(connectionId)
  }

  /** @throws when the database does not answer and no copy is left */
  get(connectionId: string): Promise<LiveConnection | null> {
    return this.cache.get(connectionId)
  }
}
