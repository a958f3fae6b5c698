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

/** A signing secret as stored; two of a credential while it is being rotated. */
@Entity({ name: 'credential_secret' })
export class CredentialSecretEntity {
  @PrimaryColumn('text', { name: 'credential_id' })
  credentialId: string

  @PrimaryColumn('timestamptz', { name: 'created_at' })
  createdAt: Date

  @Column('text', { name: 'key_encryption_key_id' })
  keyEncryptionKeyId: string

  @Column('bytea', { name: 'wrapped_key' })
  wrappedKey: Buffer

  @Column('bytea', { name: 'sealed_secret' })
  sealedSecret: Buffer

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
  key_id: credential.keyId,
  scopes: credential.scopes,
  own_connection_only: credential.ownConnectionOnly,
  created_at: credential.createdAt,
  expires_at: credential.expiresAt,
  revoked_at: credential.revokedAt,
  last_used_at: lastUsedAt,
})
