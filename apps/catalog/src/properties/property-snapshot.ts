import { isDeepStrictEqual } from 'node:util'
import type { EntityStatus, Property, RatePlan, Room } from '@connectivity/contracts/property-events'

/** A room or rate plan that partners map, with the time its content last changed. */
type Dated<T> = T & { updated_at: string }

/** The property as the catalog stores it: the latest snapshot, and the entities of earlier snapshots, archived. */
export interface PropertySnapshot extends Omit<Property, 'rooms' | 'rate_plans'> {
  rooms: Dated<Room>[]
  rate_plans: Dated<RatePlan>[]
}

/** Result of applying newer versions of a property. */
export interface PropertyChange {
  snapshot: PropertySnapshot
  /** Whether anything but the version has changed. */
  differs: boolean
  /** Whether the list of entities to map has changed: the active rooms and rate plans, or their names. */
  relisted: boolean
}

/**
 * Applies versions of one property to the stored state, ignoring any that is lower than or equal to the stored one.
 * Applies each in turn, because entities that only a superseded version had are archived, not lost.
 * @param at ISO 8601 time given to changed rooms and rate plans
 * @returns null when none of the versions is newer
 */
export function takeVersions(
  known: PropertySnapshot | null,
  versions: readonly Property[],
  at: string,
): PropertyChange | null {
  const snapshot = versions.reduce<PropertySnapshot | null>(
    (taken, version) => (taken && version.version <= taken.version ? taken : merge(taken, version, at)),
    known,
  )
  if (!snapshot || snapshot.version === known?.version) return null
  return {
    snapshot,
    differs: !isDeepStrictEqual({ ...snapshot, version: 0 }, { ...known, version: 0 }),
    relisted: !isDeepStrictEqual(listing(snapshot), known && listing(known)),
  }
}

const listing = ({ rooms, rate_plans }: PropertySnapshot): string[][] => [
  rooms.filter(isActive).map(({ room_id, name }) => `${room_id}\n${name}`),
  rate_plans.filter(isActive).map(({ rate_plan_id, name }) => `${rate_plan_id}\n${name}`),
]

const isActive = ({ status }: { status: EntityStatus }): boolean => status === 'active'

const merge = (known: PropertySnapshot | null, newer: Property, at: string): PropertySnapshot => ({
  ...newer,
  rooms: mergeEntities(known?.rooms ?? [], newer.rooms, (room) => room.room_id, at),
  rate_plans: mergeEntities(known?.rate_plans ?? [], newer.rate_plans, (plan) => plan.rate_plan_id, at),
})

/** The newer snapshot's entities in its order, then the absent ones, archived. */
function mergeEntities<T extends { status: EntityStatus }>(
  known: readonly Dated<T>[],
  newer: readonly T[],
  idOf: (entity: T) => string,
  at: string,
): Dated<T>[] {
  const before = new Map(known.map((entity) => [idOf(entity), entity]))
  const present = new Map(newer.map((entity) => [idOf(entity), entity]))
  const absent = known
    .filter((entity) => !present.has(idOf(entity)))
    .map((entity): T => ({ ...entity, status: 'archived' }))
  return [...present.values(), ...absent].map((entity) => dated(before.get(idOf(entity)), entity, at))
}

function dated<T extends object>(before: Dated<T> | undefined, entity: T, at: string): Dated<T> {
  const updated_at = before?.updated_at ?? at
  const same = isDeepStrictEqual(before, { ...entity, updated_at })
  return { ...entity, updated_at: same ? updated_at : at }
}
