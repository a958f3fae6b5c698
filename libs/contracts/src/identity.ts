import type { ConnectionState } from './connection-events.js'
import type { Scope } from './scopes.js'

/** Header in which the gateway tells a service who calls; stripped from what partners send. */
export const IDENTITY_HEADER = 'x-internal-identity'
/** In which a service tells the gateway the id of the audit entry that it wrote; stripped from what operators see. */
export const AUDIT_ENTRY_HEADER = 'x-internal-audit-entry'
/** Header that names one request in every log line and answer, of the caller or ours. */
export const CORRELATION_HEADER = 'x-correlation-id'

/** The services behind the gateway. */
export const services = ['catalog', 'reservation-feed', 'ari', 'event-dispatch'] as const
export type ServiceName = (typeof services)[number]

/** Who calls, as the gateway found it: claims of a JWS signed per request with the service's own key, alive for 30 s. */
export interface Identity {
  /** The service it is for. */
  aud: ServiceName
  /** Unix seconds. */
  exp: number
  application_id: string
  /** The connection the request addresses, checked by the gateway against the caller's application. */
  connection: { property_id: string; external_property_id: string; state: ConnectionState } | null
  scopes: readonly Scope[]
  method: string
  /** Raw path without query, with the base path. */
  path: string
  correlation_id: string
}

/** The same of an operator, for the paths below `/ops/v1` that a service owns; the gateway has checked the role. */
export interface OperatorIdentity {
  aud: ServiceName
  exp: number
  /** `sub` of the operator's token. */
  operator: string
  method: string
  /** Raw path without query. */
  path: string
  correlation_id: string
}
