import type { ConnectionState, Environment } from './connection-events.js'
import type { CurrencyCode, ExternalPropertyId, Integer, PropertyId, SchemaVersion, Timestamp } from './field-types.js'
import type { Scope } from './scopes.js'

/** The property connections that a credential may use. */
export interface PropertyList {
  schema_version: SchemaVersion
  /** Connections in the order of their ids. */
  properties: PropertyConnection[]
}

/** A property connection assigned to the caller's application. */
export interface PropertyConnection {
  /** The connection's id, which all other calls take as `property_id`. */
  property_id: PropertyId
  external_property_id: ExternalPropertyId
  /** Name of the property; null until its catalog has arrived. */
  name: string | null
  /**
   * State: `pilot`, `certification_pending` and `production` serve calls, the others answer 403 `connection_disabled`.
   */
  state: ConnectionState
  /** `production` permanently once the connection has reached that state. */
  environment: Environment
  /** IANA time zone of the property's calendar. */
  timezone: string | null
  currency: CurrencyCode | null
  /** Country code, ISO 3166-1 alpha-2. */
  country: string | null
  /** Scopes of this credential. */
  capabilities: readonly Scope[]
  /** How far rooms and rate plans are mapped. */
  mapping: MappingProgress
  /** Activity of the reservation feed. */
  feed: FeedActivity
  /** When the connection was created. */
  created_at: Timestamp
  /** When the connection was disabled; null while it is not. */
  disabled_at: Timestamp | null
  /** Reason that operations give for the disabling. */
  disabled_reason: string | null
}

/**
 * How far rooms and rate plans are mapped.
 * @public The description of the interface has it by its name.
 */
export interface MappingProgress {
  /** Version of the mapping, as in GET /properties/{id}/mappings. */
  version: Integer
  /** Active rooms with an id of yours. */
  rooms_mapped: Integer
  /** Active rooms. */
  rooms_total: Integer
  /** Active rate plans with an id of yours. */
  rate_plans_mapped: Integer
  /** Active rate plans. */
  rate_plans_total: Integer
}

/**
 * Activity of a connection's reservation feed.
 * @public The description of the interface has it by its name.
 */
export interface FeedActivity {
  /** When a reservation of this connection last changed; null before the first. */
  last_change_at: Timestamp | null
  /** When GET /reservations was last asked for this connection; null before the first time. */
  last_polled_at: Timestamp | null
  /** Changes of the feed that you have not fetched, counted up to 10,000; null if the feed did not answer in time. */
  waiting: Integer | null
  /** When you last proved that you hold what the feed holds; null before the first proof. */
  last_proven_at: Timestamp | null
}
