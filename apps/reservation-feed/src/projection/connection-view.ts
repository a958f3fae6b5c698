import type { ConnectionCatalog } from '@connectivity/contracts/catalog-events'

/** The part of a connection that rendering needs: its ids and those of its rooms and rate plans, mapped or null. */
export interface ConnectionView {
  connectionId: string
  externalPropertyId: string
  /** Every room the property ever had, archived ones too, by the booking engine's id. */
  rooms: ReadonlyMap<string, { externalId: string | null; isDorm: boolean }>
  ratePlans: ReadonlyMap<string, string | null>
}

/** Arranges a catalog for rendering. */
export const viewOf = (catalog: ConnectionCatalog): ConnectionView => ({
  connectionId: catalog.connection_id,
  externalPropertyId: catalog.external_property_id,
  rooms: new Map(
    catalog.rooms.map((room) => [room.service_id, { externalId: room.external_id, isDorm: room.kind === 'dorm' }]),
  ),
  ratePlans: new Map(catalog.rate_plans.map((plan) => [plan.service_id, plan.external_id])),
})
