import type { AriUpdateWrite } from '@connectivity/contracts/ari'
import type { CatalogRatePlan, CatalogRoom } from '@connectivity/contracts/catalog-events'
import type { PropertyCatalog } from '../catalogs/property-catalog.js'
import type { Fault } from './fault.js'

/** Room and rate plan of an update. */
export interface UpdateTarget {
  /** null if unknown. */
  room: CatalogRoom | null
  /** null if unknown, undefined if none is named. */
  ratePlan: CatalogRatePlan | null | undefined
}

/**
 * Finds the room and the rate plan that an update names.
 * @param pointer of the update
 * @param faults receives the faults of both
 */
export function targetOf(
  update: AriUpdateWrite,
  pointer: string,
  catalog: Pick<PropertyCatalog, 'rooms' | 'ratePlans'>,
  faults: Fault[],
): UpdateTarget {
  const room = catalog.rooms.active({ serviceId: update.room_id, externalId: update.external_room_id }) ?? null
  if (!room) {
    const at = `${pointer}/${update.room_id === undefined ? 'external_room_id' : 'room_id'}`
    const message = 'There is no active room with this id; see GET /catalog/rooms.'
    faults.push({ pointer: at, code: 'unknown_room', message })
  }
  const named = { serviceId: update.rate_plan_id, externalId: update.external_rate_plan_id }
  if (named.serviceId === undefined && named.externalId === undefined) return { room, ratePlan: undefined }
  const at = `${pointer}/${named.serviceId === undefined ? 'external_rate_plan_id' : 'rate_plan_id'}`
  const ratePlan = catalog.ratePlans.active(named) ?? null
  faults.push(...faultsOfRatePlan(ratePlan, room, at))
  return { room, ratePlan }
}

function faultsOfRatePlan(ratePlan: CatalogRatePlan | null, room: CatalogRoom | null, pointer: string): Fault[] {
  if (!ratePlan) {
    const message = 'There is no active rate plan with this id; see GET /catalog/rate-plans.'
    return [{ pointer, code: 'unknown_rate_plan', message }]
  }
  if (!room || ratePlan.room_service_ids.includes(room.service_id)) return []
  const message = 'This rate plan is not sold for this room; see room_service_ids in GET /catalog/rate-plans.'
  return [{ pointer, code: 'rate_not_for_room', message }]
}
