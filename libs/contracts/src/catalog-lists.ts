import type { CatalogRatePlan, CatalogRoom } from './catalog-events.js'

/** A room. Archived ones are gone from the booking engine and kept for the reservations that name them. */
export type ListedRoom = CatalogRoom

/** A rate plan; `occupancies` is null unless prices are per occupancy. */
export interface ListedRatePlan extends CatalogRatePlan {
  /** Whether ARI takes rates for it: neither derived from another plan nor archived. */
  writable: boolean
}

interface CatalogList {
  schema_version: string
  property_id: string
}

/** Answer of GET /catalog/rooms, archived ones included. */
export interface RoomList extends CatalogList {
  rooms: ListedRoom[]
}

/** Answer of GET /catalog/rate-plans, archived ones included. */
export interface RatePlanList extends CatalogList {
  rate_plans: ListedRatePlan[]
}
