import type { ProductionRequestState } from '@connectivity/contracts/production'
import { Column, Entity, PrimaryColumn } from 'typeorm'

/** Table of requests for production; one at a time stands open for a connection. */
export const productionRequestTable = `
  CREATE TABLE production_request (
    request_id text PRIMARY KEY,
    connection_id text NOT NULL REFERENCES connection,
    application_id text NOT NULL,
    state text NOT NULL CHECK (state IN ('submitted', 'approved', 'rejected')),
    contact_name text NOT NULL,
    contact_email text NOT NULL,
    go_live_on date,
    notes text,
    correlation_id text NOT NULL,
    submitted_at timestamptz(3) NOT NULL,
    decided_at timestamptz(3),
    decision_reason text
  );
  CREATE INDEX production_request_connection ON production_request (connection_id, request_id);
  CREATE UNIQUE INDEX production_request_open ON production_request (connection_id) WHERE state = 'submitted'`

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

/** The request as operators see it. */
export const presentRequest = (request: ProductionRequestEntity): object => ({
  request_id: request.requestId,
  property_id: request.connectionId,
  application_id: request.applicationId,
  state: request.state,
  contact: { name: request.contactName, email: request.contactEmail },
  go_live_on: request.goLiveOn,
  notes: request.notes,
  submitted_at: request.submittedAt,
  decided_at: request.decidedAt,
  decision_reason: request.decisionReason,
})
