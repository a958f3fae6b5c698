import { Injectable } from '@nestjs/common'
import type { ConnectionState } from '@connectivity/contracts/connection-events'
import { Database } from '@connectivity/database/database'
import { Changes } from '../live-state/changes.js'
import { showLookups } from '../live-state/cache-metrics.js'
import { LiveCache } from '../live-state/live-cache.js'
import { findLiveConnection } from './live-connection.store.js'

/** A connection as the door needs it. */
export interface LiveConnection {
  connectionId: string
  applicationId: string
  externalPropertyId: string
  state: ConnectionState
}

/** Connections by id, from memory. */
@Injectable()
export class LiveConnections {
  private readonly cache: LiveCache<LiveConnection>

  constructor(database: Database, changes: Changes) {
    this.cache = new LiveCache((id) => findLiveConnection(database.reads, id), changes.currentEra)
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
