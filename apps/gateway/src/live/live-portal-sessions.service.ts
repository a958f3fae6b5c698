import { Injectable } from '@nestjs/common'
import { LiveCache } from '@connectivity/database/live-cache'
import { showLookups } from './cache-metrics.js'
import { Changes } from './changes.service.js'
import type { LiveCredential } from './live-credential.js'
import { PortalSessionStore } from './portal-session.store.js'

/** Sessions of the portal by the hash of their cookie (base64url), from memory. */
@Injectable()
export class LivePortalSessions {
  private readonly cache: LiveCache<LiveCredential>

  constructor(sessions: PortalSessionStore, changes: Changes) {
    this.cache = new LiveCache((hash) => sessions.find(Buffer.from(hash, 'base64url')), changes, {
      mayServeStale: true,
    })
    showLookups('portal sessions', this.cache)
    changes.onChange((kind) => {
      if (kind === 'application' || kind === 'portal_link') this.cache.clear()
    })
  }

  peek(hash: string): LiveCredential | null | undefined {
    return this.cache.peek(hash)
  }

  /** Whether the last lookup found the session. */
  remembers(hash: string): boolean {
    return this.cache.remembers(hash)
  }

  /** @throws when the database does not answer and no copy is left */
  get(hash: string): Promise<LiveCredential | null> {
    return this.cache.get(hash)
  }
}
