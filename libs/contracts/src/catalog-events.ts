import { openCloudEvent } from './cloud-event.js'
import type { DecimalText, ServiceId, Timestamp } from './field-types.js'
import { latestVersions } from './latest-versions.js'
import { MessageFields } from './message-fields.js'
import type { RatePlanFacts, RoomFacts } from './property-events.js'

/**
 * `connectivity.catalogs.v1`, written by the catalog, read by the feed, ARI and the gateway: the property as one
 * connection sees it, with the partner's ids where they are mapped. Archived entities stay in it.
 */
export interface ConnectionCatalog {
  connection_id: string
  /** The booking engine's property id. */
  property_id: string
  /** Rises with every change of the catalog or of its mapping; lower or equal is ignored. */
  catalog_version: number
  /** Version of the booking engine's property snapshot that it was made from. */
  property_version: number
  mapping_version: number
  external_property_id: string
  name: string
  timezone: string
  currency: string
  country: string
  rooms: CatalogRoom[]
  rate_plans: CatalogRatePlan[]
}

/** A room as a connection sees it. */
export interface CatalogRoom extends RoomFacts {
  service_id: ServiceId
  /**
   * Your id of the room; null while it is unmapped.
   * @maxLength 128
   */
  external_id: string | null
  /** When the room or its mapping last changed. */
  updated_at: Timestamp
}

/** A rate plan as a connection sees it. */
export interface CatalogRatePlan extends RatePlanFacts {
  service_id: ServiceId
  /**
   * Your id of the rate plan; null while it is unmapped.
   * @maxLength 128
   */
  external_id: string | null
  /** Rooms that the rate plan can be booked with. */
  room_service_ids: ServiceId[]
  /** The rate plan from which its prices are derived; null when it has prices of its own. */
  derived_from: RateDerivation | null
  /** When the rate plan or its mapping last changed. */
  updated_at: Timestamp
}

/**
 * How a rate plan's prices are derived from another plan's.
 * @public The description of the interface has it by its name.
 */
export interface RateDerivation {
  /** The plan whose prices are the base. */
  service_id: ServiceId
  /** Whether `value` is a percentage or an amount in the plan's currency. */
  type: 'percent' | 'amount'
  /** Amount or percentage added to each price; negative for a discount. */
  value: DecimalText
}

/** CloudEvents type of a `ConnectionCatalog`. */
export const catalogEventType = 'connectivity.catalog.changed'

/**
 * Checks the frame only: our own catalog wrote the message from a checked snapshot.
 * @throws ContractViolation for anything that is not a connection's catalog
 */
export function parseCatalogEvent(value: Uint8Array): ConnectionCatalog {
  const catalog = openCloudEvent(value)
  const data = MessageFields.of(catalog, '/data')
  data.id('connection_id')
  data.id('property_id')
  data.integer('catalog_version')
  data.integer('property_version')
  data.integer('mapping_version')
  data.requiredReference('external_property_id')
  data.list('rooms', (room, pointer) => MessageFields.of(room, pointer).id('service_id'))
  data.list('rate_plans', (plan, pointer) => MessageFields.of(plan, pointer).id('service_id'))
  return catalog as ConnectionCatalog
}

/** The highest version of each connection's catalog. */
export const latestCatalogs = (catalogs: readonly ConnectionCatalog[]): ConnectionCatalog[] =>
  latestVersions(
    catalogs,
    ({ connection_id }) => connection_id,
    ({ catalog_version }) => catalog_version,
  )
