import type { CredentialEntity } from './credential.entity.js'

/**
 * The credential as operators see it.
 * @param oldSecretEndsAt while it is being rotated: the end of its old secret
 */
export const presentCredential = (
  credential: CredentialEntity,
  lastUsedAt: Date | null,
  oldSecretEndsAt: Date | null = null,
): object => ({
  credential_id: credential.credentialId,
  property_id: credential.connectionId,
  type: credential.type,
  ...(credential.type === 'oauth' ? { client_id: credential.keyId } : { key_id: credential.keyId }),
  scopes: credential.scopes,
  own_connection_only: credential.ownConnectionOnly,
  created_at: credential.createdAt,
  expires_at: credential.expiresAt,
  revoked_at: credential.revokedAt,
  last_used_at: lastUsedAt,
  rotation: oldSecretEndsAt && { old_secret_ends_at: oldSecretEndsAt },
})

/** The credential with its secret, for the only answer that reveals it. */
export const presentRevealed = (credential: CredentialEntity, secret: string): object => ({
  ...presentCredential(credential, null),
  ...(credential.type === 'oauth' ? { client_secret: secret } : { signing_secret: secret }),
})
