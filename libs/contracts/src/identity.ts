import type { ConnectionState } from './connection-events.js'
import type { Scope } from './scopes.js'

/** Header with the caller's identity, from the gateway to a service; stripped from partners' requests. */
export const IDENTITY_HEADER = 'x-internal-identity'
/** Length of the audit entry before the body of a service's answer; the gateway removes header and entry. */
export const AUDIT_ENTRY_BYTES_HEADER = 'x-internal-audit-entry-bytes'
/** Header of a gateway that reads an audit entry before the body of an answer. Older gateways do not send it. */
export const TAKES_AUDIT_ENTRY_HEADER = 'x-internal-takes-audit-entry'
/** Header of every answer of a service that takes identities with proofs. Services of older releases do not send it. */
export const TAKES_PROOFS_HEADER = 'x-internal-takes-proofs'
/** Header that names one request in every log line and answer; chosen by the caller or by the gateway. */
export const CORRELATION_HEADER = 'x-correlation-id'

/** The services behind the gateway. */
export const services = ['catalog', 'reservation-feed', 'ari', 'event-dispatch'] as const
/** Name of a service behind the gateway. */
export type ServiceName = (typeof services)[number]

/** Claims of every identity about its one request. */
interface ForOneRequest {
  /** The service it is for. */
  aud: ServiceName
  /** Unix seconds. */
  exp: number
  method: string
  /** Raw path without query, with the base path. */
  path: string
  /** Binds Idempotency-Key and body, see `contentOf` and `wholeContentOf`; absent from older gateways. */
  content?: string
  /** Unique among the identities of this key. */
  nonce?: string
  correlation_id: string
}

/**
 * A partner's caller, as the gateway authenticated it, and the request it is for; signed with the service's own key,
 * valid for 20 to 30 s.
 */
export interface Identity extends ForOneRequest {
  application_id: string
  /** The connection the request addresses, checked by the gateway against the caller's application. */
  connection: { property_id: string; external_property_id: string; state: ConnectionState } | null
  scopes: readonly Scope[]
  /** E-mail of the portal's user; absent for programs. Its calls count neither as pilot evidence nor as polls. */
  actor?: string
}

/** Roles of operators' tokens: both may read, only the second may change. */
export const operatorRoles = ['connectivity:read', 'connectivity:operate'] as const
/** A role of an operator's token. */
export type OperatorRole = (typeof operatorRoles)[number]

/** Identity of an operator, for the paths below `/ops/v1` that a service owns. */
export interface OperatorIdentity extends ForOneRequest {
  /** `sub` of the operator's token. */
  operator: string
  /** The token's highest role; gateways of the previous release do not send it. */
  role?: OperatorRole
}
