import type { CatalogRatePlan, CatalogRoom } from './catalog-events.js'
import type { PropertyId, SchemaVersion } from './field-types.js'

/** A room. Archived ones are gone from the booking engine and kept for the reservations that name them. */
export type ListedRoom = CatalogRoom

/** A rate plan; `occupancies` is null unless prices are per occupancy. */
export interface ListedRatePlan extends CatalogRatePlan {
  /** Whether ARI takes rates for it: neither derived from another plan nor archived. */
  writable: boolean
}

interface CatalogList {
  schema_version: SchemaVersion
  property_id: PropertyId
}

/** Answer of GET /catalog/rooms, archived ones included. */
export interface RoomList extends CatalogList {
  /** All rooms of the property. */
  rooms: ListedRoom[]
}

/** Answer of GET /catalog/rate-plans, archived ones included. */
export interface RatePlanList extends CatalogList {
  /** All rate plans of the property. */
  rate_plans: ListedRatePlan[]
}
