/**
 * Header in which the owner of a call names the evidence for the pilot checklist in its answer, separated by commas;
 * the gateway records it and strips the header.
 */
export const EVIDENCE_HEADER = 'x-internal-evidence'

/**
 * Header that marks a HEAD request, which the gateway forwards as GET. Its answer has no body, so it is not evidence
 * and serves no rows.
 */
export const NO_BODY_HEADER = 'x-internal-no-body'

/** Evidence in a page of the feed: the end of a full pull, or changes in an incremental one. */
export type PageEvidence = 'full-pull-end' | 'created' | 'modified' | 'cancelled'

const COMPLETE_MAPPING = 'mapping-complete='

/** Evidence that a complete mapping was read: no active entity was unmapped in this mapping version. */
export const completeMapping = (mappingVersion: number): string => `${COMPLETE_MAPPING}${mappingVersion}`

/** @returns the mapping version in the evidence of a complete mapping, null for any other evidence */
export const completeMappingVersion = (evidence: string): number | null =>
  evidence.startsWith(COMPLETE_MAPPING) ? Number(evidence.slice(COMPLETE_MAPPING.length)) : null
