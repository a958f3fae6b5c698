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
import { KeyIdTags } from './key-id-tags.js'
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
  /** Tells the secrets of one credential apart. */
  createdAt: Date
  endsAt: Date | null
}

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
    this.cache = new LiveCache((keyId) => findLiveCredential(database.reads, vault, keyId), changes.currentEra)
    showLookups('credentials', this.cache)
    changes.onChange((kind, id) => {
      if (kind === 'credential') this.cache.drop(id)
      if (kind === 'application') this.cache.clear()
    })
  }

  /** What can be said without the database: null also of an id that we never issued, undefined when it must be asked. */
  peek(keyId: string): LiveCredential | null | undefined {
    return this.tags.isInvented(keyId) ? null : this.cache.peek(keyId)
  }

  /** Whether it was there when it was looked up last. */
  remembers(keyId: string): boolean {
    return this.cache.remembers(keyId)
  }

  /** @throws when the database does not answer and no copy is left */
  get(keyId: string): Promise<LiveCredential | null> {
    return this.cache.get(keyId)
  }
}

/** Secrets that count now: none of an unknown, expired or other type of credential, none whose rotation is over. */
export function liveSecrets(credential: LiveCredential | null, type: CredentialType, now: number): LiveSecret[] {
  if (credential?.type !== type) return []
  const { expiresAt, secrets } = credential
  if (expiresAt && expiresAt.getTime() <= now) return []
  return secrets.filter(({ endsAt }) => !endsAt || endsAt.getTime() > now)
}

/** Secrets that a refusal tries: as many as a credential has during a rotation. */
const TRIES = 2
const DUMMY_KEY = createSecretKey(randomBytes(32))

/**
 * The secret that passes, the newest first. A refusal tries a dummy key for each secret that is missing, so that an
 * unknown credential, a known one and one in rotation refuse in the same time.
 */
export function passingSecret(
  secrets: readonly LiveSecret[],
  passes: (key: KeyObject) => boolean,
): LiveSecret | undefined {
  const found = secrets.find(({ key }) => passes(key))
  if (found) return found
  for (let tried = secrets.length; tried < TRIES; tried++) passes(DUMMY_KEY)
  return undefined
}
