import { Injectable } from '@nestjs/common'
import { Database } from '@connectivity/database'
import { LiveCache } from '@connectivity/database/notifications'
import { SecretVault } from '@connectivity/vault'
import { Changes } from './changes.service.js'
import { showLookups } from './cache-metrics.js'
import { KeyIdTags } from './key-id-tags.service.js'
import type { LiveCredential } from './live-credential.js'
import { findLiveCredential } from './live-credential.store.js'

/** Credentials by key id or client id, from memory. */
@Injectable()
export class LiveCredentials extends LiveCache<LiveCredential> {
  constructor(
    database: Database,
    vault: SecretVault,
    changes: Changes,
    private readonly tags: KeyIdTags,
  ) {
    super((keyId) => findLiveCredential(database, vault, keyId), changes)
    showLookups('credentials', this)
    changes.onChange((kind, id) => {
      if (kind === 'credential') this.drop(id)
      if (kind === 'application') this.clear()
    })
  }

  /** Null also for an id that was never issued, without a query. */
  override peek(keyId: string): LiveCredential | null | undefined {
    return this.tags.isInvented(keyId) ? null : super.peek(keyId)
  }
}
