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

interface Row {
  credential_id: string
  type: CredentialType
  application_id: string
  connection_id: string
  own_connection_only: boolean
  scopes: Scope[]
  limits: RateLimits
  created_at: Date
  expires_at: Date | null
  key_encryption_key_id: string
  wrapped_key: Buffer
  sealed_secret: Buffer
  secret_hash: Buffer | null
  ends_at: Date | null
}

/** Usable ones only: a revoked credential and one of a suspended application are as good as unknown. */
const SELECT = {
  name: 'live-credential',
  text: `SELECT c.credential_id, c.type, n.application_id, c.connection_id, c.own_connection_only, c.scopes, a.limits,
                c.created_at, c.expires_at, s.key_encryption_key_id, s.wrapped_key, s.sealed_secret, s.secret_hash, s.ends_at
           FROM credential c
           JOIN connection n USING (connection_id)
           JOIN application a USING (application_id)
           JOIN credential_secret s USING (credential_id)
          WHERE c.key_id = $1 AND c.revoked_at IS NULL AND a.state = 'approved'
          ORDER BY s.created_at DESC`,
}

/** Credentials by key id or client id, from memory. */
@Injectable()
export class LiveCredentials {
  private readonly cache: LiveCache<LiveCredential>

  constructor(
    private readonly database: Database,
    private readonly vault: SecretVault,
    changes: Changes,
  ) {
    this.cache = new LiveCache((keyId) => this.load(keyId), changes.currentEra)
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

  private async load(keyId: string): Promise<LiveCredential | null> {
    const { rows } = await this.database.reads.query<Row>({ ...SELECT, values: [keyId] })
    const [row] = rows
    if (!row) return null
    const secrets = await Promise.all(rows.map((secret) => this.open(secret)))
    return {
      credentialId: row.credential_id,
      type: row.type,
      keyId,
      applicationId: row.application_id,
      connectionId: row.connection_id,
      ownConnectionOnly: row.own_connection_only,
      scopes: row.scopes,
      limits: row.limits,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      secrets,
    }
  }

  private async open(row: Row): Promise<LiveSecret> {
    if (row.secret_hash) return { key: createSecretKey(row.secret_hash), endsAt: row.ends_at }
    const sealed = {
      keyEncryptionKeyId: row.key_encryption_key_id,
      wrappedKey: row.wrapped_key,
      sealedSecret: row.sealed_secret,
    }
    return { key: await this.vault.open(sealed, row.credential_id), endsAt: row.ends_at }
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
