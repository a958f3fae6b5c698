import type { CalendarDay, Integer, Timestamp } from './field-types.js'
import { Contact } from './operators-api.js'
import { CalendarDate, Line, MAX_ID, Nested, Optional, Text } from './validation.js'

/** What a pilot has to show, in order. */
export const checklistCodes = [
  'credentials_issued',
  'mappings_verified',
  'initial_pull_completed',
  'new_reservation_seen',
  'modification_seen',
  'cancellation_seen',
  'foreign_property_denied',
  'production_requested',
] as const
export type ChecklistCode = (typeof checklistCodes)[number]

/** One item of the checklist, graded from what the service itself observed of the connection. */
export interface ChecklistItem {
  /** 1–8. */
  item: Integer
  code: ChecklistCode
  state: 'passed' | 'open'
  observed_at: Timestamp | null
  /** Correlation id of the request that passed it. */
  evidence_correlation_id: string | null
  /** One sentence; null once it is passed. */
  next_step: string | null
}

/** States of a request for production. */
export const productionRequestStates = ['submitted', 'approved', 'rejected'] as const
export type ProductionRequestState = (typeof productionRequestStates)[number]

/** Answer of POST and GET /production/request. */
export interface ProductionRequestAnswer {
  schema_version: string
  request_id: string | null
  property_id: string
  state: ProductionRequestState | 'not_requested'
  submitted_at: Timestamp | null
  decided_at: Timestamp | null
  decision_reason: string | null
  checklist: ChecklistItem[]
}

/** Body of POST /production/request. */
export class RequestProduction {
  @Line(MAX_ID)
  property_id: string

  @Nested(() => Contact)
  contact: Contact

  /** The day on which the partner means to go live. */
  @Optional()
  @CalendarDate()
  go_live_on?: CalendarDay

  @Optional()
  @Text(2_000)
  notes?: string
}
