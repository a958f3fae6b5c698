import { Injectable } from '@nestjs/common'
import { LiveCache } from '@connectivity/database/live-cache'
import { AccessTokenStore, type LiveToken } from './access-token.store.js'
import { Changes } from './changes.service.js'
import { showLookups } from './cache-metrics.js'

/** Access tokens by the hash of their text (base64url), from memory. */
@Injectable()
export class LiveTokens extends LiveCache<LiveToken> {
  constructor(tokens: AccessTokenStore, changes: Changes) {
    super((hash) => tokens.find(Buffer.from(hash, 'base64url')), changes, { mayServeStale: true })
    showLookups('tokens', this)
    // Revocation reaches a token through its client; a suspension ends the tokens themselves.
    changes.onChange((kind) => {
      if (kind === 'application') this.clear()
    })
  }
}
