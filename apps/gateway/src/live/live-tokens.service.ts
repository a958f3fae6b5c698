import { Injectable } from '@nestjs/common'
import { Database } from '@connectivity/database'
import { LiveCache } from '@connectivity/database/notifications'
import { Changes } from './changes.service.js'
import { showLookups } from './cache-metrics.js'
import { findLiveToken, type LiveToken } from './live-token.store.js'

/** Access tokens by the hash of their text (base64url), from memory. */
@Injectable()
export class LiveTokens extends LiveCache<LiveToken> {
  constructor(database: Database, changes: Changes) {
    super((hash) => findLiveToken(database, Buffer.from(hash, 'base64url')), changes)
    showLookups('tokens', this)
    // Revocation reaches a token through its client; a suspension ends the tokens themselves.
    changes.onChange((kind) => {
      if (kind === 'application') this.clear()
    })
  }
}
