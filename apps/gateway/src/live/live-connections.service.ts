import { Injectable } from '@nestjs/common'
import { Database } from '@connectivity/database'
import { LiveCache } from '@connectivity/database/notifications'
import { Changes } from './changes.service.js'
import { showLookups } from './cache-metrics.js'
import type { LiveConnection } from './live-connection.js'
import { findLiveConnection } from './live-connection.store.js'

/** Connections by id, from memory. */
@Injectable()
export class LiveConnections extends LiveCache<LiveConnection> {
  constructor(database: Database, changes: Changes) {
    super((id) => findLiveConnection(database, id), changes)
    showLookups('connections', this)
    changes.onChange((kind, id) => {
      if (kind === 'connection') this.drop(id)
    })
  }
}
