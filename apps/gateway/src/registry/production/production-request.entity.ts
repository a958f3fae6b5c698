import type { ProductionRequestState } from '@connectivity/contracts/production'
import { Column, Entity, PrimaryColumn } from 'typeorm'

/** A partner's request to go live on one connection. Ids sort by time. */
@Entity({ name: 'production_request' })
export class ProductionRequestEntity {
  @PrimaryColumn('text', { name: 'request_id' })
  requestId: string

  @Column('text', { name: 'connection_id' })
  connectionId: string

  @Column('text', { name: 'application_id' })
  applicationId: string

  @Column('text')
  state: ProductionRequestState

  @Column('text', { name: 'contact_name' })
  contactName: string

  @Column('text', { name: 'contact_email' })
  contactEmail: string

  @Column('date', { name: 'go_live_on', nullable: true })
  goLiveOn: string | null

  @Column('text', { nullable: true })
  notes: string | null

  @Column('text', { name: 'correlation_id' })
  correlationId: string

  @Column('timestamptz', { name: 'submitted_at' })
  submittedAt: Date

  @Column('timestamptz', { name: 'decided_at', nullable: true })
  decidedAt: Date | null

  @Column('text', { name: 'decision_reason', nullable: true })
  decisionReason: string | null
}
