import type { MappingList } from '@connectivity/contracts/mappings'

/** Entity tag of a mapping version, api.md §5. */
export const tagOf = (mappingVersion: number): string => `"map-${mappingVersion}"`

/** The answer to a write, whoever made it. */
export const answerOf = (written: MappingList & { changed: number }) => ({
  status: 200,
  headers: { etag: tagOf(written.mapping_version) },
  body: JSON.stringify(written),
})
