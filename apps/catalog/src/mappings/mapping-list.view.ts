import type { MappingList, MappingRecord } from '@connectivity/contracts/mappings'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import type { PropertySnapshot } from '../properties/property-snapshot.js'
import type { Mapping } from './mapping.js'

interface Listed {
  connectionId: string
  /** The code agreed for the property when the connection was made. */
  externalPropertyId: string
  mappingVersion: number
  mappings: readonly Mapping[]
  /** Null until the property's first snapshot has arrived. */
  property: PropertySnapshot | null
}

/** Every mapped entity, and every active room and rate plan that is unmapped. */
export function mappingList({
  connectionId,
  externalPropertyId,
  mappingVersion,
  mappings,
  property,
}: Listed): MappingList {
  const own: MappingRecord = { entity_type: 'property', service_id: connectionId, external_id: externalPropertyId }
  const mapped = new Set(mappings.map(({ entity_type, service_id }) => `${entity_type}\n${service_id}`))
  const active = [
    ...(property?.rooms ?? []).map(({ room_id, name, status }) => ({
      type: 'room' as const,
      id: room_id,
      name,
      status,
    })),
    ...(property?.rate_plans ?? []).map(({ rate_plan_id, name, status }) => ({
      type: 'rate_plan' as const,
      id: rate_plan_id,
      name,
      status,
    })),
  ].filter(({ status }) => status === 'active')
  return {
    schema_version: SCHEMA_VERSION,
    property_id: connectionId,
    external_property_id: externalPropertyId,
    mapping_version: mappingVersion,
    mappings: [
      own,
      ...mappings.map(({ entity_type, service_id, external_id }) => ({ entity_type, service_id, external_id })),
    ],
    unmapped: active
      .filter(({ type, id }) => !mapped.has(`${type}\n${id}`))
      .map(({ type, id, name }) => ({ entity_type: type, service_id: id, name })),
  }
}
