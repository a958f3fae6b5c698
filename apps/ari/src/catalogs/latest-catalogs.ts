import type { ConnectionCatalog } from '@connectivity/contracts/catalog-events'

/** The highest version of each connection's catalog. */
export function latestCatalogs(catalogs: readonly ConnectionCatalog[]): ConnectionCatalog[] {
  const latest = new Map<string, ConnectionCatalog>()
  for (const catalog of catalogs) {
    const known = latest.get(catalog.connection_id)
    if (!known || known.catalog_version < catalog.catalog_version) latest.set(catalog.connection_id, catalog)
  }
  return [...latest.values()]
}
