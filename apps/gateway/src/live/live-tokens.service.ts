import { Injectable } from '@nestjs/common'
import { Changes } from './changes.service.js'
import { showLookups } from './cache-metrics.js'
import { LiveCache } from '@connectivity/database/live-cache'
import { AccessTokenStore, type LiveToken } from './access-token.store.js'

/** Access tokens by the hash of their text, from memory. */
@Injectable()
export class LiveTokens {
  private readonly cache: LiveCache<LiveToken>

  constructor(tokens: AccessTokenStore, changes: Changes) {
    this.cache = new LiveCache((hash) => tokens.find(Buffer.from(hash, 'base64url')), changes, {
      mayServeStale: true,
    })
    showLookups('tokens', this.cache)
    // Revocation reaches a token through its client; a suspension ends the tokens themselves.
    changes.onChange((kind) => {
      if (kind === 'application') this.cache.clear()
    })
  }

  peek(hash: string): LiveToken | null | undefined {
    return this.cache.peek(hash)
  }

  /** Whether the last lookup found the token. */
  remembers(hash: string): boolean {
    return this.cache.remembers(hash)
  }

  /** @throws when the database does not answer and no copy is left */
  get(hash: string): Promise<LiveToken | null> {
    return this.cache.get(hash)
  }
}
