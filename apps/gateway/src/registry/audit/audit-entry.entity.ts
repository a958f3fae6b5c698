import { Column, Entity, PrimaryColumn } from 'typeorm'

/** A change by an operator or a person of a partner. Ids sort by time. */
@Entity({ name: 'audit_entry' })
export class AuditEntryEntity {
  @PrimaryColumn('text')
  id: string

  @Column('timestamptz')
  at: Date

  @Column('text')
  actor: string

  @Column('text')
  action: string

  @Column('text')
  subject: string

  /** Null for the change of a person in the portal. */
  @Column('text', { nullable: true })
  reason: string | null

  @Column('jsonb', { nullable: true })
  before: object | null

  @Column('jsonb', { nullable: true })
  after: object | null

  @Column('text', { name: 'correlation_id' })
  correlationId: string
}
