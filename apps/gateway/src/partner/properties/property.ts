import type { ConnectionCatalog } from '@connectivity/contracts/catalog-events'

/** Facts about a property for GET /properties, taken from the connection's catalog. */
export interface PropertySummary {
  connectionId: string
  catalogVersion: number
  mappingVersion: number
  externalPropertyId: string
  name: string | null
  timezone: string | null
  currency: string | null
  country: string | null
  roomsMapped: number
  roomsTotal: number
  ratePlansMapped: number
  ratePlansTotal: number
}

interface Mappable {
  status: string
  external_id: string | null
}

const active = (entities: readonly Mappable[]): Mappable[] => entities.filter(({ status }) => status === 'active')
const mapped = (entities: readonly Mappable[]): number =>
  active(entities).filter(({ external_id }) => external_id !== null).length

/** Archived entities count neither as mapped nor in the total. */
export const summarize = (catalog: ConnectionCatalog): PropertySummary => ({
  connectionId: catalog.connection_id,
  catalogVersion: catalog.catalog_version,
  mappingVersion: catalog.mapping_version,
  externalPropertyId: catalog.external_property_id,
  name: catalog.name ?? null,
  timezone: catalog.timezone ?? null,
  currency: catalog.currency ?? null,
  country: catalog.country ?? null,
  roomsMapped: mapped(catalog.rooms),
  roomsTotal: active(catalog.rooms).length,
  ratePlansMapped: mapped(catalog.rate_plans),
  ratePlansTotal: active(catalog.rate_plans).length,
})
