import type { AriState, Restrictions } from '@connectivity/contracts/ari'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import type { PropertyCatalog } from '../catalogs/property-catalog.js'
import { ANY_OCCUPANCY } from '../judgement/assignment.js'
import type { StateQuery } from './parameters.js'
import type { StoredDay } from './state.store.js'

type RoomDays = AriState['rooms'][number]
type RatePlanDays = AriState['rate_plans'][number]

/**
 * Returns the answer of GET /ari, with rooms and rate plans in the order of the catalog.
 * @param stored by room, rate plan, date and occupancy, in this order
 */
export function ariState(
  query: StateQuery,
  catalog: Pick<PropertyCatalog, 'rooms' | 'ratePlans'>,
  revision: number,
  stored: readonly StoredDay[],
): AriState {
  const byTarget = Map.groupBy(stored, ({ roomId, ratePlanId }) => targetKey(roomId, ratePlanId))
  const daysOf = (roomId: string, ratePlanId: string) => byTarget.get(targetKey(roomId, ratePlanId)) ?? []
  return {
    schema_version: SCHEMA_VERSION,
    property_id: query.connectionId,
    date_from: query.dateFrom,
    date_to: query.dateTo,
    ari_revision: revision,
    rooms: catalog.rooms.all.flatMap((room) => roomDays(room, daysOf(room.service_id, ''))),
    rate_plans: catalog.ratePlans.all.flatMap((plan) =>
      catalog.rooms.all.flatMap((room) => ratePlanDays(plan, room, daysOf(room.service_id, plan.service_id))),
    ),
  }
}

const targetKey = (roomId: string, ratePlanId: string): string => `${roomId}\x1f${ratePlanId}`

interface Named {
  service_id: string
  external_id: string | null
}

/** @returns nothing when nothing is stored */
export function roomDays(room: Named, stored: readonly StoredDay[]): RoomDays[] {
  if (stored.length === 0) return []
  const days = stored.map(({ date, availability }) => ({ date, availability }))
  return [{ room_id: room.service_id, external_room_id: room.external_id, days }]
}

/** @returns nothing when nothing is stored */
export function ratePlanDays(
  plan: Named & { currency: string },
  room: Named,
  stored: readonly StoredDay[],
): RatePlanDays[] {
  if (stored.length === 0) return []
  return [
    {
      rate_plan_id: plan.service_id,
      external_rate_plan_id: plan.external_id,
      room_id: room.service_id,
      external_room_id: room.external_id,
      currency: plan.currency,
      days: [...Map.groupBy(stored, ({ date }) => date)].map(([date, parts]) =>
        ratePlanDay(date, parts, plan.currency),
      ),
    },
  ]
}

const unrestricted: Restrictions = {
  min_stay_arrival: null,
  min_stay_through: null,
  max_stay: null,
  closed_to_arrival: null,
  closed_to_departure: null,
  stop_sell: null,
}

/** A rate plan's day, without amounts in a currency that the plan no longer has. */
const ratePlanDay = (date: string, parts: readonly StoredDay[], currency: string): RatePlanDays['days'][number] => ({
  date,
  rates: parts
    .filter((part) => part.amount !== null && part.currency === currency)
    .map(({ occupancy, amount }) => ({
      occupancy: occupancy === ANY_OCCUPANCY ? null : occupancy,
      amount: amount as string,
    })),
  restrictions: parts.find(({ occupancy }) => occupancy === ANY_OCCUPANCY)?.restrictions ?? unrestricted,
})
