import type { CalendarDay, CorrelationId, Integer, PropertyId, SchemaVersion, Timestamp } from './field-types.js'
import { MAX_ID } from './message-fields.js'
import { Contact } from './operators-api.js'
import { CalendarDate, Line, Nested, Optional, Text } from './validation.js'

/** Items of the pilot checklist, in order. */
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
/** Name of an item of the pilot checklist. */
export type ChecklistCode = (typeof checklistCodes)[number]

/** One item of the checklist, graded from what the service itself observed of the connection. */
export interface ChecklistItem {
  /** Number of the item, from 1 to 8. */
  item: Integer
  /** Name of the item. */
  code: ChecklistCode
  /** Whether the service has observed it. */
  state: 'passed' | 'open'
  /** When it was observed; null while it is open. */
  observed_at: Timestamp | null
  /** Correlation id of the request that passed it; null while it is open. */
  evidence_correlation_id: CorrelationId | null
  /** The next step, in one sentence; null once it is passed. */
  next_step: string | null
}

/** States of a request for production. */
export const productionRequestStates = ['submitted', 'approved', 'rejected'] as const
/** State of a request for production. */
export type ProductionRequestState = (typeof productionRequestStates)[number]

/** Answer of POST and GET /production/request. */
export interface ProductionRequestAnswer {
  schema_version: SchemaVersion
  /** Id of the newest request; null before the first. */
  request_id: string | null
  property_id: PropertyId
  /** State of the newest request. */
  state: ProductionRequestState | 'not_requested'
  /** When it was submitted. */
  submitted_at: Timestamp | null
  /** When operations decided; null before that. */
  decided_at: Timestamp | null
  /** Reason that operations gave; null before the decision. */
  decision_reason: string | null
  /**
   * The eight items of the pilot, in order.
   * @maxItems 8
   */
  checklist: ChecklistItem[]
}

/** Body of POST /production/request. */
export class RequestProduction {
  @Line(MAX_ID)
  property_id: PropertyId

  /** The person to contact about the request. */
  @Nested(() => Contact)
  contact: Contact

  /** The day on which the partner plans to go live. */
  @Optional()
  @CalendarDate()
  go_live_on?: CalendarDay

  /** Anything that helps operations to decide. */
  @Optional()
  @Text(2_000)
  notes?: string
}
