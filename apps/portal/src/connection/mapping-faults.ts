import { messageOf, RequestError, type RequestFault } from '@connectivity/ui'
import type { Schemas } from '../api/client.ts'
import { keyOf } from './entities.ts'

/** The mappings of one PUT. */
export type Write = Schemas['MappingsWrite']['mappings']

interface MappingFaults {
  /** Messages by the entity at whose field they belong. */
  atFields: ReadonlyMap<string, string>
  /** Faults that belong to no field. */
  others: readonly RequestFault[]
}

/**
 * The faults of a refused save.
 * @param sent the refused changes, at whose numbers the faults point
 * @param changes the changes that are typed now: an id that was typed since has no fault yet
 */
export function mappingFaults(error: Error | null, sent: Write, changes: Write): MappingFaults {
  const details = error instanceof RequestError ? error.details : []
  const typed = new Map(changes.map((item) => [fieldOf(item), item.external_id]))
  const atFields = new Map<string, string>()
  const others: RequestFault[] = []
  for (const fault of details) {
    const item = sent[Number(/^\/mappings\/(\d+)(\/|$)/.exec(fault.pointer)?.[1])]
    if (!item) others.push(fault)
    else if (typed.get(fieldOf(item)) === item.external_id) atFields.set(fieldOf(item), messageOf(fault))
  }
  return { atFields, others }
}

const fieldOf = ({ entity_type: type, service_id: id }: Write[number]): string => keyOf({ type, id })
