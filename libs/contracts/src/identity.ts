import type { ConnectionState } from './connection-events.js'
import type { Scope } from './scopes.js'

/** Header in which the gateway tells a service who calls; stripped from what partners send. */
export const IDENTITY_HEADER = 'x-internal-identity'
/** Length of the audit entry that stands before the body of a service's answer; the gateway takes both off. */
export const AUDIT_ENTRY_BYTES_HEADER = 'x-internal-audit-entry-bytes'
/** The gateway takes an audit entry before the body of the answer; a gateway of an older release does not say so. */
export const TAKES_AUDIT_ENTRY_HEADER = 'x-internal-takes-audit-entry'
/** Header that names one request in every log line and answer, of the caller or ours. */
export const CORRELATION_HEADER = 'x-correlation-id'

/** The services behind the gateway. */
export const services = ['catalog', 'reservation-feed', 'ari', 'event-dispatch'] as const
export type ServiceName = (typeof services)[number]

/** What every identity says about the one request that it is for. */
interface ForOneRequest {
  /** The service it is for. */
  aud: ServiceName
  /** Unix seconds. */
  exp: number
  method: string
  /** Raw path without query, with the base path. */
  path: string
  /** Query, Idempotency-Key and body, see `contentOf`; absent from a gateway of the release before. */
  content?: string
  /** No other identity of this key has it; absent from a gateway of the release before. */
  nonce?: string
  correlation_id: string
}

/** Who calls, as the gateway found it: claims of a JWS signed per request with the service's own key, alive for 30 s. */
export interface Identity extends ForOneRequest {
  application_id: string
  /** The connection the request addresses, checked by the gateway against the caller's application. */
  connection: { property_id: string; external_property_id: string; state: ConnectionState } | null
  scopes: readonly Scope[]
  /** E-mail of the person who uses the portal; absent for programs. Calls of people are no evidence and no progress. */
  actor?: string
}

/** Roles of operators' tokens: either reads, only the second changes. */
export const operatorRoles = ['connectivity:read', 'connectivity:operate'] as const
export type OperatorRole = (typeof operatorRoles)[number]

/** The same of an operator, for the paths below `/ops/v1` that a service owns. */
export interface OperatorIdentity extends ForOneRequest {
  /** `sub` of the operator's token. */
  operator: string
  /** The highest one of the token; absent from a gateway of the release before. */
  role?: OperatorRole
}
