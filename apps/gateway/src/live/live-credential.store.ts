import { createSecretKey } from 'node:crypto'
import type { CredentialType } from '@connectivity/contracts/operators-api'
import { defaultLimits, type RateLimits } from '@connectivity/contracts/rate-limits'
import type { Scope } from '@connectivity/contracts/scopes'
import type { Queryable } from '@connectivity/database'
import type { SecretVault } from '@connectivity/vault'
import type { LiveCredential, LiveSecret } from './live-credential.js'

interface Row {
  credential_id: string
  type: CredentialType
  application_id: string
  connection_id: string
  own_connection_only: boolean
  scopes: Scope[]
  limits: Partial<RateLimits>
  created_at: Date
  expires_at: Date | null
  key_encryption_key_id: string
  wrapped_key: Buffer
  sealed_secret: Buffer
  secret_hash: Buffer | null
  secret_created_at: Date
  ends_at: Date | null
}

/** Selects only usable credentials: revoked ones and those of suspended applications count as unknown. */
const SELECT = {
  name: 'live-credential',
  text: `SELECT c.credential_id, c.type, n.application_id, c.connection_id, c.own_connection_only, c.scopes, a.limits,
                c.created_at, c.expires_at, s.key_encryption_key_id, s.wrapped_key, s.sealed_secret, s.secret_hash,
                s.created_at AS secret_created_at, s.ends_at
           FROM credential c
           JOIN connection n USING (connection_id)
           JOIN application a USING (application_id)
           JOIN credential_secret s USING (credential_id)
          WHERE c.key_id = $1 AND c.revoked_at IS NULL AND a.state = 'approved'
          ORDER BY s.created_at DESC`,
}

/**
 * A usable credential with decrypted secrets.
 * @param keyId the key id of a signing key or the client id of an OAuth client
 */
export async function findLiveCredential(
  on: Queryable,
  vault: SecretVault,
  keyId: string,
): Promise<LiveCredential | null> {
  const { rows } = await on.query<Row>({ ...SELECT, values: [keyId] })
  const [row] = rows
  if (!row) return null
  const secrets = await Promise.all(rows.map((secret) => opened(secret, vault)))
  return {
    credentialId: row.credential_id,
    type: row.type,
    keyId,
    applicationId: row.application_id,
    connectionId: row.connection_id,
    person: null,
    ownConnectionOnly: row.own_connection_only,
    scopes: row.scopes,
    limits: { ...defaultLimits, ...row.limits },
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    secrets,
  }
}

async function opened(row: Row, vault: SecretVault): Promise<LiveSecret> {
  const time = { createdAt: row.secret_created_at, endsAt: row.ends_at }
  if (row.secret_hash) return { key: createSecretKey(row.secret_hash), ...time }
  const sealed = {
    keyEncryptionKeyId: row.key_encryption_key_id,
    wrappedKey: row.wrapped_key,
    sealedSecret: row.sealed_secret,
  }
  return { key: await vault.open(sealed, row.credential_id), ...time }
}
