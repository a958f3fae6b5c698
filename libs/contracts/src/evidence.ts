/**
 * Header in which the owner of a call names what its answer showed of the pilot checklist; the gateway records it and
 * strips it. Several are separated by commas.
 */
export const EVIDENCE_HEADER = 'x-internal-evidence'

/** The client asked with HEAD, which services get as GET: its answer has no body, so it shows and serves nothing. */
export const NO_BODY_HEADER = 'x-internal-no-body'

/** What a page of the feed can show: the end of a full pull, or changes that an incremental one brought. */
export type PageEvidence = 'full-pull-end' | 'created' | 'modified' | 'cancelled'

const COMPLETE_MAPPING = 'mapping-complete='

/** A mapping was read in which nothing active was unmapped, at this mapping version. */
export const completeMapping = (mappingVersion: number): string => `${COMPLETE_MAPPING}${mappingVersion}`

/** @returns the mapping version in the evidence of a complete mapping, null for any other evidence */
export const completeMappingVersion = (evidence: string): number | null =>
  evidence.startsWith(COMPLETE_MAPPING) ? Number(evidence.slice(COMPLETE_MAPPING.length)) : null
