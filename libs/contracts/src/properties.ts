import type { ConnectionState, Environment } from './connection-events.js'
import type { CurrencyCode, Integer, Timestamp } from './field-types.js'
import type { Scope } from './scopes.js'

/** The property connections that a credential may use. */
export interface PropertyList {
  schema_version: string
  properties: PropertyConnection[]
}

/** A property connection assigned to the caller's application. */
export interface PropertyConnection {
  /** The connection's id, which all other calls take as `property_id`. */
  property_id: string
  /** Your own property code. */
  external_property_id: string
  /** Null until the property's catalog has arrived. */
  name: string | null
  /** Only `pilot`, `certification_pending` and `production` serve calls; the others answer 403 `connection_disabled`. */
  state: ConnectionState
  /** `production` for good once the connection has reached that state. */
  environment: Environment
  /** IANA time zone of the property's calendar. */
  timezone: string | null
  currency: CurrencyCode | null
  /** ISO 3166-1 alpha-2. */
  country: string | null
  /** What this credential may do. */
  capabilities: readonly Scope[]
  mapping: {
    /** Version of the mapping, as in GET /properties/{id}/mappings. */
    version: Integer
    rooms_mapped: Integer
    /** Active rooms. */
    rooms_total: Integer
    rate_plans_mapped: Integer
    /** Active rate plans. */
    rate_plans_total: Integer
  }
  feed: {
    /** When a reservation of this connection last changed. */
    last_change_at: Timestamp | null
    /** When GET /reservations was last asked for this connection. */
    last_polled_at: Timestamp | null
  }
  created_at: Timestamp
  /** Since when the connection is disabled; null while it is not. */
  disabled_at: Timestamp | null
  /** What operations tell you about it. */
  disabled_reason: string | null
}
