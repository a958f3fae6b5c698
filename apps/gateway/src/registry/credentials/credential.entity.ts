import type { CredentialType } from '@connectivity/contracts/operators-api'
import type { Scope } from '@connectivity/contracts/scopes'
import { Column, Entity, PrimaryColumn } from 'typeorm'

/** What a partner authenticates with, issued for one connection. Its secrets are elsewhere, sealed. */
@Entity({ name: 'credential' })
export class CredentialEntity {
  @PrimaryColumn('text', { name: 'credential_id' })
  credentialId: string

  @Column('text', { name: 'connection_id' })
  connectionId: string

  @Column('text')
  type: CredentialType

  /** Of a signing key its key id, of an OAuth client its client id. */
  @Column('text', { name: 'key_id' })
  keyId: string

  @Column('text', { array: true })
  scopes: Scope[]

  @Column('boolean', { name: 'own_connection_only' })
  ownConnectionOnly: boolean

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date

  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt: Date | null

  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt: Date | null
}

/** A secret as stored, a signing secret sealed, a client secret hashed; two of a credential while it is being rotated. */
@Entity({ name: 'credential_secret' })
export class CredentialSecretEntity {
  @PrimaryColumn('text', { name: 'credential_id' })
  credentialId: string

  @PrimaryColumn('timestamptz', { name: 'created_at' })
  createdAt: Date

  @Column('text', { name: 'key_encryption_key_id', nullable: true })
  keyEncryptionKeyId: string | null

  @Column('bytea', { name: 'wrapped_key', nullable: true })
  wrappedKey: Buffer | null

  @Column('bytea', { name: 'sealed_secret', nullable: true })
  sealedSecret: Buffer | null

  @Column('bytea', { name: 'secret_hash', nullable: true })
  secretHash: Buffer | null

  @Column('timestamptz', { name: 'ends_at', nullable: true })
  endsAt: Date | null
}

/** When a credential last let somebody in; apart from it, so that noting it locks nothing. */
@Entity({ name: 'credential_use' })
export class CredentialUseEntity {
  @PrimaryColumn('text', { name: 'credential_id' })
  credentialId: string

  @Column('timestamptz', { name: 'last_used_at' })
  lastUsedAt: Date
}

/** The credential as operators see it. */
export const presentCredential = (credential: CredentialEntity, lastUsedAt: Date | null): object => ({
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
})

/** The credential with its secret, for the one answer that reveals it. */
export const presentRevealed = (credential: CredentialEntity, secret: string): object => ({
  ...presentCredential(credential, null),
  ...(credential.type === 'oauth' ? { client_secret: secret } : { signing_secret: secret }),
})
