import {
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsEmail,
  IsIn,
  IsInt,
  Max,
  Min,
  ValidateBy,
} from 'class-validator'
import { type Environment, environments } from './connection-events.js'
import { type Scope, scopes } from './scopes.js'
import { parseTimestamp } from './time.js'
import { Line, Nested, Optional, Text } from './validation.js'

/** Bodies of the operators' interface, operations.md §1. Every change says why. */
export class OperatorChange {
  @Text(500)
  reason: string
}

export class Contact {
  @Line(200)
  name: string

  @IsEmail()
  email: string
}

export class CreateApplication extends OperatorChange {
  @Line(200)
  name: string

  @Nested(() => Contact)
  contact: Contact
}

const MAX_RATE = 1_000_000

/** A rate limit: calls per minute in the long run, and how many may come at once. */
export class RateLimit {
  @IsInt()
  @Min(1)
  @Max(MAX_RATE)
  per_minute: number

  @IsInt()
  @Min(1)
  @Max(MAX_RATE)
  burst: number
}

/** The classes of calls that are limited apart from each other, api.md §3. */
export const limitClasses = ['feed', 'reads', 'ari', 'mutations', 'token'] as const
export type LimitClass = (typeof limitClasses)[number]
export type RateLimits = Record<LimitClass, RateLimit>

export class RateLimitChanges implements Partial<RateLimits> {
  @Optional()
  @Nested(() => RateLimit)
  feed?: RateLimit

  @Optional()
  @Nested(() => RateLimit)
  reads?: RateLimit

  @Optional()
  @Nested(() => RateLimit)
  ari?: RateLimit

  @Optional()
  @Nested(() => RateLimit)
  mutations?: RateLimit

  @Optional()
  @Nested(() => RateLimit)
  token?: RateLimit
}

export class ChangeLimits extends OperatorChange {
  @Nested(() => RateLimitChanges)
  limits: RateLimitChanges
}

export class CreateConnection extends OperatorChange {
  @Line(64)
  application_id: string

  /** The booking engine's property id. */
  @Line(128)
  source_property_id: string

  /** The partner's own property code. */
  @Line(128)
  external_property_id: string

  @IsIn(environments)
  environment: Environment
}

/** `enabled` goes back to the state before the disabling. */
export const transitionTargets = [
  'pilot',
  'certification_pending',
  'production',
  'disabled',
  'enabled',
  'closed',
] as const
export type TransitionTarget = (typeof transitionTargets)[number]

export class MoveConnection extends OperatorChange {
  @IsIn(transitionTargets)
  to: TransitionTarget

  /** What the partner sees of a disabling. */
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

export const credentialTypes = ['signing', 'oauth'] as const
export type CredentialType = (typeof credentialTypes)[number]

export class IssueCredential extends OperatorChange {
  @IsIn(credentialTypes)
  type: CredentialType

  /** Absent: all of them. */
  @Optional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayUnique()
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

/** Longest time for which the old secret stays valid beside the new one, seconds. */
const MAX_OVERLAP = 365 * 24 * 60 * 60

export class RotateCredential extends OperatorChange {
  /** How long the old secret stays valid, seconds: 7 days when absent, 0 ends it at once. */
  @Optional()
  @IsInt()
  @Min(0)
  @Max(MAX_OVERLAP)
  overlap_seconds?: number
}
