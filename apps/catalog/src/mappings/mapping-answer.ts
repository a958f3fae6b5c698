import { CATALOG_VERSION_HEADER } from '@connectivity/contracts/applied-catalog'
import type { MappingList } from '@connectivity/contracts/mappings'

/** Entity tag of a mapping version. */
export const tagOf = (mappingVersion: number): string => `"map-${mappingVersion}"`

/** Headers of an answer that shows a connection's catalog or mapping. */
export const headersOf = (etag: string, catalogVersion: number): Record<string, string> => ({
  etag,
  [CATALOG_VERSION_HEADER]: String(catalogVersion),
})

/** Answer to a write, by partners and operators alike. */
export const answerOf = (written: MappingList & { changed: number }, catalogVersion: number) => ({
  status: 200,
  headers: headersOf(tagOf(written.mapping_version), catalogVersion),
  body: JSON.stringify(written),
})
