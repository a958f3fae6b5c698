import type { CredentialType } from '@connectivity/contracts/operators-api'
import type { Scope } from '@connectivity/contracts/scopes'
import { Column, Entity, PrimaryColumn } from 'typeorm'

/** A partner's credential, issued for one connection. Its secrets are stored separately, sealed or hashed. */
@Entity({ name: 'credential' })
export class CredentialEntity {
  @PrimaryColumn('text', { name: 'credential_id' })
  credentialId: string

  @Column('text', { name: 'connection_id' })
  connectionId: string

  @Column('text')
  type: CredentialType

  /** The key id of a signing key or the client id of an OAuth client. */
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

/**
 * A stored secret: a signing secret sealed, a client secret hashed. A credential has two during a rotation, and for a
 * while the signing secret that the last rotation ended.
 */
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

/** Time of a credential's last use; in a table of its own, so that recording it does not lock the credential. */
@Entity({ name: 'credential_use' })
export class CredentialUseEntity {
  @PrimaryColumn('text', { name: 'credential_id' })
  credentialId: string

  @Column('timestamptz', { name: 'last_used_at' })
  lastUsedAt: Date
}
