import type { ConnectionState, Environment } from '@connectivity/contracts/connection-events'
import { Column, Entity, PrimaryColumn } from 'typeorm'
import type { ConnectionStanding } from './connection.js'

/** The assignment of one property to one application. */
@Entity({ name: 'connection' })
export class ConnectionEntity implements ConnectionStanding {
  @PrimaryColumn('text', { name: 'connection_id' })
  connectionId: string

  @Column('text', { name: 'application_id' })
  applicationId: string

  @Column('text', { name: 'source_property_id' })
  sourcePropertyId: string

  @Column('text', { name: 'external_property_id' })
  externalPropertyId: string

  @Column('text')
  environment: Environment

  @Column('text')
  state: ConnectionState

  @Column('text', { name: 'state_before_disabled', nullable: true })
  stateBeforeDisabled: ConnectionState | null

  @Column('text', { name: 'public_reason', nullable: true })
  publicReason: string | null

  @Column('timestamptz', { name: 'disabled_at', nullable: true })
  disabledAt: Date | null

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date

  @Column('integer')
  version: number
}
