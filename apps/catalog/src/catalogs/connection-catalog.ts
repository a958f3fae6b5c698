import type { CatalogRatePlan, CatalogRoom, ConnectionCatalog } from '@connectivity/contracts/catalog-events'
import type { Connection } from '@connectivity/contracts/connection-events'
import type { Mapping } from '../mappings/mapping.js'
import type { PropertySnapshot } from '../properties/property-snapshot.js'

/** Versions of one connection's catalog. */
export interface CatalogVersions {
  catalog_version: number
  mapping_version: number
}

/** The connection's view of its property; the partner's ids are null for unmapped entities. */
export function connectionCatalog(
  connection: Connection,
  property: PropertySnapshot,
  mappings: readonly Mapping[],
  versions: CatalogVersions,
): ConnectionCatalog {
  return {
    connection_id: connection.connection_id,
    property_id: property.property_id,
    catalog_version: versions.catalog_version,
    property_version: property.version,
    mapping_version: versions.mapping_version,
    external_property_id: connection.external_property_id,
    name: property.name,
    timezone: property.timezone,
    currency: property.currency,
    country: property.country,
    rooms: catalogRooms(property, mappings),
    rate_plans: catalogRatePlans(property, mappings),
  }
}

type ExternalIds = ReadonlyMap<string, string>

const idsOf = (mappings: readonly Mapping[], type: Mapping['entity_type']): ExternalIds =>
  new Map(mappings.filter(({ entity_type }) => entity_type === type).map((m) => [m.service_id, m.external_id]))

/** The property's rooms with the partner's ids. */
export function catalogRooms({ rooms }: PropertySnapshot, mappings: readonly Mapping[]): CatalogRoom[] {
  const ids = idsOf(mappings, 'room')
  return rooms.map((room) => catalogRoom(room, ids))
}

/** The property's rate plans with the partner's ids. */
export function catalogRatePlans({ rate_plans }: PropertySnapshot, mappings: readonly Mapping[]): CatalogRatePlan[] {
  const ids = idsOf(mappings, 'rate_plan')
  return rate_plans.map((plan) => catalogRatePlan(plan, ids))
}

function catalogRoom({ room_id, ...facts }: PropertySnapshot['rooms'][number], ids: ExternalIds): CatalogRoom {
  return { service_id: room_id, external_id: ids.get(room_id) ?? null, ...facts }
}

function catalogRatePlan(
  { rate_plan_id, room_ids, derived_from, ...facts }: PropertySnapshot['rate_plans'][number],
  ids: ExternalIds,
): CatalogRatePlan {
  return {
    service_id: rate_plan_id,
    external_id: ids.get(rate_plan_id) ?? null,
    room_service_ids: room_ids,
    derived_from: derived_from && {
      service_id: derived_from.rate_plan_id,
      type: derived_from.type,
      value: derived_from.value,
    },
    ...facts,
  }
}
