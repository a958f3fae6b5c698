import { Injectable } from '@nestjs/common'
import { Database } from '@connectivity/database'
import { LiveCache } from '@connectivity/database/notifications'
import { showLookups } from './cache-metrics.js'
import { Changes } from './changes.service.js'
import type { LiveCredential } from './live-credential.js'
import { findLivePortalSession } from './live-portal-session.store.js'

/** Sessions of the portal by the hash of their cookie (base64url), from memory. */
@Injectable()
export class LivePortalSessions extends LiveCache<LiveCredential> {
  constructor(database: Database, changes: Changes) {
    super((hash) => findLivePortalSession(database, Buffer.from(hash, 'base64url')), changes)
    showLookups('portal sessions', this)
    changes.onChange((kind) => {
      if (kind === 'application' || kind === 'portal_link') this.clear()
    })
  }
}
