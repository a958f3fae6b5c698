import { Injectable } from '@nestjs/common'
import { Database } from '@connectivity/database/database'
import { SecretVault } from '@connectivity/vault/secret-vault'
import { Changes } from './changes.service.js'
import { showLookups } from './cache-metrics.js'
import { LiveCache } from '@connectivity/database/live-cache'
import { KeyIdTags } from './key-id-tags.service.js'
import type { LiveCredential } from './live-credential.js'
import { findLiveCredential } from './live-credential.store.js'

/** Credentials by key id or client id, from memory. */
@Injectable()
export class LiveCredentials {
  private readonly cache: LiveCache<LiveCredential>

  constructor(
    database: Database,
    vault: SecretVault,
    changes: Changes,
    private readonly tags: KeyIdTags,
  ) {
    this.cache = new LiveCache((keyId) => findLiveCredential(database, vault, keyId), changes, {
      mayServeStale: true,
    })
    showLookups('credentials', this.cache)
    changes.onChange((kind, id) => {
      if (kind === 'credential') this.cache.drop(id)
      if (kind === 'application') this.cache.clear()
    })
  }

  /** Result without the database: null also for an id that was never issued, undefined when a query is needed. */
  peek(keyId: string): LiveCredential | null | undefined {
    return this.tags.isInvented(keyId) ? null : this.cache.peek(keyId)
  }

  /** Whether the last lookup found the credential. */
  remembers(keyId: string): boolean {
    return this.cache.remembers(keyId)
  }

  /** @throws when the database does not answer and no copy is left */
  get(keyId: string): Promise<LiveCredential | null> {
    return this.cache.get(keyId)
  }
}
