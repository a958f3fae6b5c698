import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import type { CredentialType } from '@connectivity/contracts/operators-api'
import type { RateLimits } from '@connectivity/contracts/rate-limits'
import type { Scope } from '@connectivity/contracts/scopes'
import { Database } from '@connectivity/database/database'
import { SecretVault } from '@connectivity/vault/secret-vault'
import { Changes } from '../live-state/changes.js'
import { showLookups } from '../live-state/cache-metrics.js'
import { LiveCache } from '../live-state/live-cache.js'
import { findLiveCredential } from './live-credential.store.js'

/** A credential as the door needs it: with opened keys, without any secret text. */
export interface LiveCredential {
  credentialId: string
  type: CredentialType
  /** Of a signing key its key id, of an OAuth client its client id. */
  keyId: string
  applicationId: string
  /** The connection it was issued for. */
  connectionId: string
  ownConnectionOnly: boolean
  scopes: readonly Scope[]
  /** Of its application. */
  limits: RateLimits
  createdAt: Date
  expiresAt: Date | null
  secrets: readonly LiveSecret[]
}

/** One of the live secrets: `key` is the HMAC key of a signing secret, the SHA-256 of a client secret. */
export interface LiveSecret {
  key: KeyObject
  endsAt: Date | null
}

/** Credentials by key id or client id, from memory. */
@Injectable()
export class LiveCredentials {
  private readonly cache: LiveCache<LiveCredential>

  constructor(database: Database, vault: SecretVault, changes: Changes) {
    this.cache = new LiveCache((keyId) => findLiveCredential(database.reads, vault, keyId), changes.currentEra)
    showLookups('credentials', this.cache)
    changes.onChange((kind, id) => {
      if (kind === 'credential') this.cache.drop(id)
      if (kind === 'application') this.cache.clear()
    })
  }

  peek(keyId: string): LiveCredential | null | undefined {
    return this.cache.peek(keyId)
  }

  /** @throws when the database does not answer and no copy is left */
  get(keyId: string): Promise<LiveCredential | null> {
    return this.cache.get(keyId)
  }
}

/** Keys that count now: none of an unknown, expired or other type of credential, none whose rotation is over. */
export function liveKeys(credential: LiveCredential | null, type: CredentialType, now: number): KeyObject[] {
  if (credential?.type !== type) return []
  const { expiresAt, secrets } = credential
  if (expiresAt && expiresAt.getTime() <= now) return []
  return secrets.filter(({ endsAt }) => !endsAt || endsAt.getTime() > now).map(({ key }) => key)
}

/** Stands in for the keys of a credential that has none, so that the refusal takes as long. */
const NOBODY: readonly KeyObject[] = [createSecretKey(randomBytes(32))]

/** Whether one of the keys passes; every one is tried. */
export function anyPasses(keys: readonly KeyObject[], passes: (key: KeyObject) => boolean): boolean {
  const passed = (keys.length > 0 ? keys : NOBODY).filter(passes)
  return keys.length > 0 && passed.length > 0
}
