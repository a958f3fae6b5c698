import type { MappingRecord, MappingWrite } from '@connectivity/contracts/mappings'
import { type ErrorDetail, ServiceError } from '@connectivity/contracts/errors'
import type { PropertySnapshot } from '../properties/property-snapshot.js'
import type { Mapping } from './mapping.js'

/** Effect of a write: only entities whose external id really changes. */
export interface MappingChange {
  set: Mapping[]
  unset: Pick<Mapping, 'entity_type' | 'service_id'>[]
}

/** A write for the audit; null means not mapped. */
export interface MappingEffect {
  before: { mappings: MappingWrite[] }
  after: { mappings: MappingWrite[] }
}

type Entity = Pick<MappingRecord, 'entity_type' | 'service_id'>

const keyOf = ({ entity_type, service_id }: Entity): string => `${entity_type}\n${service_id}`

const refuse = (code: 'entity_not_found' | 'mapping_conflict', message: string, details: ErrorDetail[]): never => {
  throw new ServiceError(code, message, { details })
}

/**
 * Checks a write against its end state, so that two entities may swap their ids.
 * @param current all mappings of the connection
 * @param property null when no snapshot of it has arrived: then no entity is known
 * @throws ServiceError 404 `entity_not_found`, 409 `mapping_conflict`, each with every fault in details
 */
export function changesOf(
  items: readonly MappingWrite[],
  current: readonly Mapping[],
  property: PropertySnapshot | null,
): MappingChange {
  const known = new Map(current.map((mapping) => [keyOf(mapping), mapping.external_id]))
  checkKnown(items, known, property)
  const changed = items.filter((item) => (known.get(keyOf(item)) ?? null) !== item.external_id)
  checkUnique(items, current)
  return {
    set: changed.flatMap(({ external_id, ...entity }) => (external_id === null ? [] : [{ ...entity, external_id }])),
    unset: changed
      .filter(({ external_id }) => external_id === null)
      .map(({ entity_type, service_id }) => ({ entity_type, service_id })),
  }
}

/** The changed entities before and after the write. */
export function effectOf({ set, unset }: MappingChange, before: readonly Mapping[]): MappingEffect {
  const known = new Map(before.map((mapping) => [keyOf(mapping), mapping.external_id]))
  const named = [...set, ...unset].map(({ entity_type, service_id }) => ({ entity_type, service_id }))
  return {
    before: { mappings: named.map((entity) => ({ ...entity, external_id: known.get(keyOf(entity)) ?? null })) },
    after: { mappings: [...set, ...unset.map((entity) => ({ ...entity, external_id: null }))] },
  }
}

/** An archived entity keeps its mapping and may lose it, but gets no new one. */
function checkKnown(
  items: readonly MappingWrite[],
  known: ReadonlyMap<string, string>,
  property: PropertySnapshot | null,
): void {
  const statuses = new Map([
    ...(property?.rooms ?? []).map(
      ({ room_id, status }) => [keyOf({ entity_type: 'room', service_id: room_id }), status] as const,
    ),
    ...(property?.rate_plans ?? []).map(
      ({ rate_plan_id, status }) => [keyOf({ entity_type: 'rate_plan', service_id: rate_plan_id }), status] as const,
    ),
  ])
  const details = items.flatMap((item, index): ErrorDetail[] => {
    const status = statuses.get(keyOf(item))
    const unchanged = known.has(keyOf(item)) && known.get(keyOf(item)) === item.external_id
    if (status === 'active' || (status === 'archived' && (item.external_id === null || unchanged))) return []
    const message = `There is no active ${item.entity_type} with this service_id; take ids from the catalog.`
    return [{ pointer: `/mappings/${index}/service_id`, code: 'entity_not_found', message }]
  })
  if (details.length > 0) refuse('entity_not_found', details[0]!.message, details)
}

function checkUnique(items: readonly MappingWrite[], current: readonly Mapping[]): void {
  const end = new Map<string, string | null>(current.map((mapping) => [keyOf(mapping), mapping.external_id]))
  for (const item of items) end.set(keyOf(item), item.external_id)
  const holders = Map.groupBy(
    [...end].filter(([, externalId]) => externalId !== null),
    ([key, externalId]) => `${key.split('\n', 1)[0]}\n${externalId}`,
  )
  const details = items.flatMap((item, index): ErrorDetail[] => {
    const taken =
      item.external_id !== null && (holders.get(`${item.entity_type}\n${item.external_id}`)?.length ?? 0) > 1
    if (!taken) return []
    const message = `This external_id is taken by another ${item.entity_type}; unmap that one in the same request or choose another id.`
    return [{ pointer: `/mappings/${index}/external_id`, code: 'mapping_conflict', message }]
  })
  if (details.length > 0) refuse('mapping_conflict', details[0]!.message, details)
}
