import { CATALOG_VERSION_HEADER } from '@connectivity/contracts/applied-catalog'
import type { MappingList } from '@connectivity/contracts/mappings'

/** Entity tag of a mapping version. */
export const tagOf = (mappingVersion: number): string => `"map-${mappingVersion}"`

/** Answer to a write, by partners and operators alike. */
export const answerOf = (written: MappingList & { changed: number }, catalogVersion: number) => ({
  status: 200,
  headers: { etag: tagOf(written.mapping_version), [CATALOG_VERSION_HEADER]: String(catalogVersion) },
  body: JSON.stringify(written),
})
