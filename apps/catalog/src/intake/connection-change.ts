import type { Connection } from '@connectivity/contracts/connection-events'

/** Whether the event changes the connection's catalog; a change of its state, for example, does not. */
export function changesCatalog(known: Connection | undefined, given: Connection): boolean {
  if (!known) return true
  if (given.version <= known.version) return false
  return given.property_id !== known.property_id || given.external_property_id !== known.external_property_id
}
