import type { Connection } from '@connectivity/contracts/connection-events'

/** Whether the event changes the connection's catalog, which for example does not contain its state. */
export function changesCatalog(known: Connection | undefined, given: Connection): boolean {
  if (!known) return true
  if (given.version <= known.version) return false
  return given.property_id !== known.property_id || given.external_property_id !== known.external_property_id
}
