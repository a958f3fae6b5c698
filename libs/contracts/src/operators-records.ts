import type { CallbackState } from './callbacks.js'
import type { ConnectionState, Environment } from './connection-events.js'
import type { UndeliveredState } from './event-index.js'
import type {
  CalendarDay,
  CorrelationId,
  EventId,
  Integer,
  PropertyId,
  ReservationId,
  Timestamp,
} from './field-types.js'
import type { ConnectionWarning, Contact, CredentialType } from './operators-api.js'
import type { PortalRole } from './portal.js'
import type { ChecklistItem, ProductionRequestState } from './production.js'
import type { RateLimits } from './rate-limits.js'
import type { ProblemDetail } from './reservation.js'
import type { ReservationEventType } from './reservation-events.js'
import type { Scope } from './scopes.js'

// Objects in the answers of the operators' interface.

/**
 * A partner's software.
 * @public The description of the operators' interface has it by its name.
 */
export interface ApplicationRecord {
  application_id: string
  name: string
  contact: Contact
  state: 'pending' | 'approved' | 'suspended'
  /** Requests a minute and at once, by class. */
  limits: RateLimits
  created_at: Timestamp
  /** Null until the first approval. */
  approved_at: Timestamp | null
}

/**
 * An application's link to a property.
 * @public The description of the operators' interface has it by its name.
 */
export interface ConnectionRecord {
  property_id: PropertyId
  application_id: string
  /** The booking engine's property id. */
  source_property_id: string
  /** The partner's own property code. */
  external_property_id: string
  environment: Environment
  state: ConnectionState
  /** State to which `enabled` leads back; null unless it is disabled. */
  state_before_disabled: ConnectionState | null
  disabled_at: Timestamp | null
  /** Reason of a disabling that the partner sees. */
  public_reason: string | null
  created_at: Timestamp
  /** Rises with every change. */
  version: Integer
  /** Warnings about the connection. */
  warnings: ConnectionWarning[]
}

/**
 * A signing key or an OAuth client, without its secret.
 * @public The description of the operators' interface has it by its name.
 */
export interface CredentialRecord {
  credential_id: string
  property_id: PropertyId
  type: CredentialType
  /** Id of a signing key. */
  key_id?: string
  /** Id of an OAuth client. */
  client_id?: string
  scopes: Scope[]
  /** Whether it serves only the connection it was issued for. */
  own_connection_only: boolean
  created_at: Timestamp
  expires_at: Timestamp | null
  revoked_at: Timestamp | null
  /** When the credential was last used, at most 60 s out of date; null until then. */
  last_used_at: Timestamp | null
  /** The running rotation; null unless two secrets are valid. */
  rotation: CredentialRotation | null
}

/**
 * A running rotation.
 * @public The description of the operators' interface has it by its name.
 */
export interface CredentialRotation {
  /** When the old secret ends. */
  old_secret_ends_at: Timestamp
}

/**
 * A credential with its secret: the only answer that shows it.
 * @public The description of the operators' interface has it by its name.
 */
export interface RevealedCredential extends CredentialRecord {
  /** Secret of a signing key. */
  signing_secret?: string
  /** Secret of an OAuth client. */
  client_secret?: string
}

/**
 * A link with which a person signs in to the portal, without its secret.
 * @public The description of the operators' interface has it by its name.
 */
export interface PortalLinkRecord {
  portal_link_id: string
  email: string
  role: PortalRole
  created_at: Timestamp
  /** Time until which it can be used. */
  expires_at: Timestamp
  used_at: Timestamp | null
  revoked_at: Timestamp | null
  /** The session that it began; null before that. */
  session: PortalSessionRecord | null
}

/**
 * A person's session of the portal.
 * @public The description of the operators' interface has it by its name.
 */
export interface PortalSessionRecord {
  started_at: Timestamp
  last_seen_at: Timestamp
  expires_at: Timestamp
  ended_at: Timestamp | null
}

/**
 * A portal link with its address: the only answer that shows it.
 * @public The description of the operators' interface has it by its name.
 */
export interface IssuedPortalLink extends PortalLinkRecord {
  /** Address of the link; it works once. */
  url: string
}

/**
 * A partner's request to leave the pilot.
 * @public The description of the operators' interface has it by its name.
 */
export interface ProductionRequestRecord {
  request_id: string
  property_id: PropertyId
  application_id: string
  state: ProductionRequestState
  contact: Contact
  go_live_on: CalendarDay | null
  notes: string | null
  submitted_at: Timestamp
  decided_at: Timestamp | null
  decision_reason: string | null
  /** Absent in the answer to a decision. */
  checklist?: ChecklistItem[]
}

/**
 * A callback without its secrets.
 * @public The description of the operators' interface has it by its name.
 */
export interface CallbackRecord {
  property_id: PropertyId
  url: string
  events: string[]
  payload: string
  state: CallbackState
  suspended_at: Timestamp | null
  /** Deliveries that wait. */
  pending: Integer
  /** Waiting deliveries that are held because the callback is suspended or the connection is not live. */
  held: Integer
  /** Deliveries that were given up. */
  failed: Integer
  last_success_at: Timestamp | null
  failing_since: Timestamp | null
  /** Failure of the delivery that failed last; null without one. */
  last_failure: CallbackFailure | null
  breaker: CallbackBreaker
  /** The process that delivers now. */
  delivered_by: string | null
  created_at: Timestamp
  updated_at: Timestamp
}

/**
 * A failed attempt at a callback.
 * @public The description of the operators' interface has it by its name.
 */
export interface CallbackFailure {
  at: Timestamp
  /** HTTP status of the answer; null without one. */
  status: Integer | null
  /** Short code of the failure; null when there is a status. */
  error: string | null
  event_id: string
}

/**
 * State of the breaker, which stops attempts to a callback that fails.
 * @public The description of the operators' interface has it by its name.
 */
export interface CallbackBreaker {
  state: 'closed' | 'open' | 'half_open'
  open_until: Timestamp | null
  failures_in_row: Integer
}

/**
 * A delivery that has not arrived.
 * @public The description of the operators' interface has it by its name.
 */
export interface DeliveryRecord {
  event_id: EventId
  property_id: PropertyId
  reservation_id: ReservationId
  /** Type of the event. */
  type: ReservationEventType
  /** Sequence of the event in the partner's index. */
  sequence: Integer
  occurred_at: Timestamp
  /** State of the delivery. */
  state: UndeliveredState
  /** Attempts so far. */
  attempts: Integer
  /** HTTP status of the last attempt; null without an answer. */
  last_status: Integer | null
  /** Reason why the last attempt failed without an answer. */
  last_error: string | null
  /** Last failed attempt; null when none has failed. */
  failed_at: Timestamp | null
  /** Next attempt after a failed one; null when none is planned. */
  retry_at: Timestamp | null
}

/**
 * A reservation that cannot be shown to its partner.
 * @public The description of the operators' interface has it by its name.
 */
export interface UnresolvedReservation {
  reservation_id: ReservationId
  updated_at: Timestamp
  /** Message that the partner reads. */
  message: string
  /** Faults of the booking. */
  details: ProblemDetail[]
}

/**
 * Reservations that appear in the feed again.
 * @public The description of the operators' interface has it by its name.
 */
export interface RedeliveryAccepted {
  redelivery_id: string
  /** Number of these reservations. */
  reservations: Integer
}

/**
 * A change of an operator, or of a person in the portal.
 * @public The description of the operators' interface has it by its name.
 */
export interface AuditRecord {
  id: string
  at: Timestamp
  /** The token's subject, or the e-mail of a person in the portal. */
  actor: string
  action: string
  /** Id of what was changed. */
  subject: string
  /** Null for changes in the portal. */
  reason: string | null
  /** The object before the change, without secrets; null for a creation. */
  before: object | null
  after: object | null
  correlation_id: CorrelationId
}

/** Reasons why a connection needs an operator, most urgent first. */
export const overviewNeeds = ['at_risk', 'unresolved', 'callback_failing', 'dead_letters', 'silent'] as const
/** Reason why a connection needs an operator. */
export type OverviewNeed = (typeof overviewNeeds)[number]

/**
 * A connection in the overview; facts of services that do not answer are null.
 * @public The description of the operators' interface has it by its name.
 */
export interface OverviewRecord {
  property_id: PropertyId
  application_id: string
  application_name: string
  /** Null until the catalog has arrived. */
  property_name: string | null
  external_property_id: string
  environment: Environment
  state: ConnectionState
  /** Rank of the most urgent need, from 1; 6 when nothing needs attention. */
  rank: Integer
  needs: OverviewNeed[]
  feed: OverviewFeed
  callback: OverviewCallback
  /** Events without a final acknowledgement. */
  unacknowledged: Integer | null
  /** Open dead letters of the connection and its property. */
  dead_letters: Integer | null
}

/**
 * State of a connection's feed.
 * @public The description of the operators' interface has it by its name.
 */
export interface OverviewFeed {
  /** Delay of the last live change, from the booking engine until it was visible, ms. */
  lag_ms: Integer | null
  last_change_at: Timestamp | null
  last_polled_at: Timestamp | null
  processed_to: Timestamp | null
  /** Rows that the partner has not fetched, counted up to 10,000. */
  waiting: Integer | null
  /** Reservations at risk. */
  at_risk: Integer | null
  /** Reservations that cannot be shown. */
  unresolved: Integer | null
  last_proven_at: Timestamp | null
}

/**
 * State of a connection's callback.
 * @public The description of the operators' interface has it by its name.
 */
export interface OverviewCallback {
  /** Null without a callback. */
  state: CallbackState | null
  failed: Integer | null
  last_error: string | null
}
