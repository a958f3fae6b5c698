// The shapes of bodies are described with it.
import 'reflect-metadata'
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsEmail,
  IsIn,
  IsInt,
  Max,
  Min,
  ValidateBy,
  ValidateIf,
} from 'class-validator'
import type { CallbackState } from './callbacks.js'
import { type Environment, environments } from './connection-events.js'
import type { ServiceName } from './identity.js'
import { MappingsWrite } from './mappings.js'
import { MAX_ID } from './message-fields.js'
import { type PortalRole, portalRoles } from './portal.js'
import { RateLimitChanges } from './rate-limits.js'
import { type Scope, scopes } from './scopes.js'
import { parseTimestamp } from './time.js'
import { CalendarDate, Line, Nested, Optional, SourceId, Text, Unique } from './validation.js'

/** Base path of the operators' interface: on the gateway's private listener and in the services. */
export const OPERATORS_PATH = '/ops/v1'

/** A call of the operators' interface that a service answers; the gateway checks token and role and passes it on. */
export interface ForwardedOperation {
  method: 'GET' | 'POST' | 'PUT'
  /** Below `OPERATORS_PATH`; `{…}` stands for one path segment. */
  path: string
  /** The service that answers; null: the service that the path names at `{service}`. */
  owner: ServiceName | null
}

/** Operators' calls that services answer; the gateway answers all others. */
export const forwardedOperations: readonly ForwardedOperation[] = [
  { method: 'PUT', path: '/connections/{id}/mappings', owner: 'catalog' },
  { method: 'POST', path: '/connections/{id}/redeliver', owner: 'reservation-feed' },
  { method: 'GET', path: '/connections/{id}/problems', owner: 'reservation-feed' },
  { method: 'GET', path: '/connections/{id}/delivery-status', owner: 'reservation-feed' },
  { method: 'GET', path: '/connections/{id}/events/{event_id}/attempts', owner: 'event-dispatch' },
  { method: 'GET', path: '/callbacks', owner: 'event-dispatch' },
  { method: 'GET', path: '/deliveries', owner: 'event-dispatch' },
  { method: 'GET', path: '/callbacks/{id}', owner: 'event-dispatch' },
  { method: 'POST', path: '/callbacks/{id}/suspend', owner: 'event-dispatch' },
  { method: 'POST', path: '/callbacks/{id}/resume', owner: 'event-dispatch' },
  { method: 'GET', path: '/dead-letters/{service}/{id}', owner: null },
  { method: 'POST', path: '/dead-letters/{service}/{id}/replay', owner: null },
  { method: 'POST', path: '/dead-letters/{service}/{id}/discard', owner: null },
]

const MAX_REASON = 500

/** Bodies of the operators' interface. Every change has a reason. */
export class OperatorChange {
  /** Why the change is made, for the audit; white space alone is refused. */
  @Text(MAX_REASON)
  reason: string
}

/** A contact person. */
export class Contact {
  /** Name of the person or team. */
  @Line(200)
  name: string

  /** Address for questions. */
  @IsEmail()
  email: string
}

/** Body of POST /applications. */
export class CreateApplication extends OperatorChange {
  @Line(200)
  name: string

  @Nested(() => Contact)
  contact: Contact
}

/** Body of PUT /applications/{id}/limits. */
export class ChangeLimits extends OperatorChange {
  @Nested(() => RateLimitChanges)
  limits: RateLimitChanges
}

/** Body of POST /connections. */
export class CreateConnection extends OperatorChange {
  @Line(64)
  application_id: string

  /** The booking engine's property id. */
  @Line(MAX_ID)
  source_property_id: string

  /** The partner's own property code. */
  @Line(MAX_ID)
  external_property_id: string

  @IsIn(environments)
  environment: Environment
}

/** A warning about a connection; it prevents no change. */
export interface ConnectionWarning {
  /** `unknown_property`: no snapshot of the booking engine has named `source_property_id` yet. */
  code: 'unknown_property'
  /** JSON pointer into the connection. */
  pointer: string
  message: string
}

/** States to which operators move a connection; `enabled` goes back to the state before the disabling. */
export const transitionTargets = [
  'pilot',
  'certification_pending',
  'production',
  'disabled',
  'enabled',
  'closed',
] as const
/** State to move a connection to. */
export type TransitionTarget = (typeof transitionTargets)[number]

/** Body of POST /connections/{id}/transitions. */
export class MoveConnection extends OperatorChange {
  @IsIn(transitionTargets)
  to: TransitionTarget

  /** Reason of a disabling that the partner sees. */
  @Optional()
  @Text(500)
  public_reason?: string
}

const Timestamp = (): PropertyDecorator =>
  ValidateBy({
    name: 'timestamp',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && parseTimestamp(value) !== null,
      defaultMessage: () => 'must be an ISO 8601 timestamp with zone, such as 2027-01-31T00:00:00Z',
    },
  })

/** Ways in which a partner authenticates: signed requests or an OAuth client. */
export const credentialTypes = ['signing', 'oauth'] as const
/** Way in which a credential authenticates. */
export type CredentialType = (typeof credentialTypes)[number]

/** Body of POST /connections/{id}/credentials. */
export class IssueCredential extends OperatorChange {
  @IsIn(credentialTypes)
  type: CredentialType

  /** Scopes of the credential; all of them when absent. */
  @Optional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(scopes.length)
  @Unique()
  @IsIn(scopes, { each: true })
  scopes?: Scope[]

  @Optional()
  @Timestamp()
  expires_at?: string

  /** Restricts the credential to the connection it is issued for. */
  @Optional()
  @IsBoolean()
  own_connection_only?: boolean
}

/** Body of POST /applications/{id}/portal-links. */
export class IssuePortalLink extends OperatorChange {
  /** E-mail address of the person the link is for; changes made with it are audited under this address. */
  @IsEmail()
  email: string

  @IsIn(portalRoles)
  role: PortalRole
}

/** Longest time for which the old secret stays valid beside the new one, seconds. */
const MAX_OVERLAP = 365 * 24 * 60 * 60

/** Body of POST /credentials/{id}/rotate. */
export class RotateCredential extends OperatorChange {
  /** Time for which the old secret stays valid, seconds, at most a year: 7 days when absent, 0 ends it at once. */
  @Optional()
  @IsInt()
  @Min(0)
  @Max(MAX_OVERLAP)
  overlap_seconds?: number
}

/** Like the partner's write, but for connections of any environment. */
export class OperatorMappings extends MappingsWrite implements OperatorChange {
  /** Why the change is made, for the audit; white space alone is refused. */
  @Text(MAX_REASON)
  reason: string
}

const MAX_REDELIVERED = 1_000

/** Bounds of a range of arrival dates; a body has either these or ids. */
const rangeRule = (name: string, message: string, accepts: (body: RedeliverReservations) => boolean) =>
  ValidateBy({
    name,
    validator: {
      validate: (_value: unknown, at) => accepts(at!.object as RedeliverReservations),
      defaultMessage: () => message,
    },
  })
const WithoutIds = () =>
  rangeRule('withoutIds', 'must be left out beside reservation_ids', (body) => body.reservation_ids === undefined)
const NotBeforeFrom = () =>
  rangeRule(
    'notBeforeFrom',
    'must not be before check_in_from',
    ({ check_in_from: from, check_in_to: to }) => typeof from !== 'string' || typeof to !== 'string' || from <= to,
  )

const namesNoRange = ({ check_in_from, check_in_to }: RedeliverReservations): boolean =>
  check_in_from === undefined && check_in_to === undefined

/**
 * Reservations that appear in the feed again: by id, or by a range of arrival dates, of which either bound may be open.
 */
export class RedeliverReservations extends OperatorChange {
  @ValidateIf((body: RedeliverReservations, value) => value !== undefined || namesNoRange(body))
  @IsArray({ message: 'must be a list of ids; leave it out only beside check_in_from or check_in_to' })
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_REDELIVERED)
  @SourceId({ each: true })
  reservation_ids?: string[]

  /** Inclusive. */
  @Optional()
  @CalendarDate()
  @WithoutIds()
  check_in_from?: string

  /** Inclusive. */
  @Optional()
  @CalendarDate()
  @WithoutIds()
  @NotBeforeFrom()
  check_in_to?: string
}

/** Path at which a service reports facts about connections to the gateway's overview; operators cannot call it. */
export const CONNECTION_FACTS_PATH = `${OPERATORS_PATH}/connection-facts`

/** Facts of one service about a connection: absent if they belong to another service, null if unknown. */
export interface ConnectionFacts {
  connection_id: string
  /** Delay of the connection's last live change, from the booking engine's `time` until it was visible, ms. */
  lag_ms?: number | null
  /** Stamp up to which the partner's polls imply that it has processed everything; null before the first poll. */
  processed_to?: string | null
  /** Rows of the feed that the partner has not fetched, counted up to 10,000. */
  waiting?: number | null
  /** Waiting reservations that are at risk. */
  at_risk?: number | null
  /** Reservations that cannot be shown. */
  unresolved?: number | null
  /** When the partner last proved that it holds what the feed holds. */
  last_proven_at?: string | null
  /** Null when there is no callback. */
  callback_state?: CallbackState | null
  /** Deliveries that were given up. */
  failed?: number | null
  /** Error or status of the callback's last failed attempt. */
  last_error?: string | null
  /** Events without a final acknowledgement. */
  unacknowledged?: number | null
}

/**
 * Answer of `GET connection-facts?connection_ids=con_a,con_b` (at most 100): facts of the connections it knows. Without
 * ids event dispatch answers for connections whose callback fails, the feed for those with reservations at risk or
 * unresolved ones.
 */
export interface ConnectionFactsAnswer {
  facts: ConnectionFacts[]
}
