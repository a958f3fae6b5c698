import { Injectable } from '@nestjs/common'
import { Database } from '@connectivity/database/database'
import { Changes } from './changes.service.js'
import { showLookups } from './cache-metrics.js'
import { LiveCache } from '@connectivity/database/live-cache'
import type { LiveConnection } from './live-connection.js'
import { findLiveConnection } from './live-connection.store.js'

/** Connections by id, from memory. */
@Injectable()
export class LiveConnections {
  private readonly cache: LiveCache<LiveConnection>

  constructor(database: Database, changes: Changes) {
    this.cache = new LiveCache((id) => findLiveConnection(database, id), changes, { mayServeStale: true })
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
