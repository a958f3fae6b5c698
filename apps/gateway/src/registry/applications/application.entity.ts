import type { RateLimits } from '@connectivity/contracts/rate-limits'
import { Column, Entity, PrimaryColumn } from 'typeorm'
import type { ApplicationState } from './application.js'

/** A partner's software, approved by a person before it gets credentials. */
@Entity({ name: 'application' })
export class ApplicationEntity {
  @PrimaryColumn('text', { name: 'application_id' })
  applicationId: string

  @Column('text')
  name: string

  @Column('text', { name: 'contact_name' })
  contactName: string

  @Column('text', { name: 'contact_email' })
  contactEmail: string

  @Column('text')
  state: ApplicationState

  @Column('jsonb')
  limits: RateLimits

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date

  @Column('timestamptz', { name: 'approved_at', nullable: true })
  approvedAt: Date | null
}
