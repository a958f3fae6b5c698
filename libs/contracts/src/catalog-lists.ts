import type { CatalogRatePlan, CatalogRoom } from './catalog-events.js'
import type { PropertyId, SchemaVersion } from './field-types.js'

/** A room. Archived rooms are gone from the booking engine and kept for the reservations that name them. */
export type ListedRoom = CatalogRoom

/** A rate plan; `occupancies` is null unless prices are per occupancy. */
export interface ListedRatePlan extends CatalogRatePlan {
  /** Whether POST /ari accepts rates for the plan: false if it is derived from another plan or archived. */
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
