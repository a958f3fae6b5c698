import type { Connection } from '@connectivity/contracts/connection-events'

/** The highest version of each connection. */
export function latestConnections(connections: readonly Connection[]): Connection[] {
  const latest = new Map<string, Connection>()
  for (const connection of connections) {
    const known = latest.get(connection.connection_id)
    if (!known || known.version < connection.version) latest.set(connection.connection_id, connection)
  }
  return [...latest.values()]
}
