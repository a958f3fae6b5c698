import type { PortalRole } from '@connectivity/contracts/portal'
import { Column, Entity, PrimaryColumn } from 'typeorm'

/** A link with which one person signs in to the portal once, and the session that it started. */
@Entity({ name: 'portal_link' })
export class PortalLinkEntity {
  @PrimaryColumn('text', { name: 'portal_link_id' })
  portalLinkId: string

  @Column('text', { name: 'application_id' })
  applicationId: string

  @Column('text')
  email: string

  @Column('text')
  role: PortalRole

  /** SHA-256 of the secret in the link. */
  @Column('bytea', { name: 'token_hash' })
  tokenHash: Buffer

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt: Date

  @Column('timestamptz', { name: 'used_at', nullable: true })
  usedAt: Date | null

  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt: Date | null

  @Column('timestamptz', { name: 'session_started_at', nullable: true })
  sessionStartedAt: Date | null

  @Column('timestamptz', { name: 'session_last_seen_at', nullable: true })
  sessionLastSeenAt: Date | null

  @Column('timestamptz', { name: 'session_expires_at', nullable: true })
  sessionExpiresAt: Date | null

  @Column('timestamptz', { name: 'session_ended_at', nullable: true })
  sessionEndedAt: Date | null
}
