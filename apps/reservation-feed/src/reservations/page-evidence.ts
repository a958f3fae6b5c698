import type { PageEvidence } from '@connectivity/contracts/evidence'
import type { PageHead, PageRow } from './feed-page.store.js'

/** The facts of a page by which a pilot is graded. */
export interface ServedPage {
  head: PageHead
  /** `updated_since` of the request, ms; null when it has none. */
  updatedSince: number | null
  /** The pull's own lower bound on stamps, ms; 0 when it has none. */
  since: number
  /** Rows on the page, read with their history. */
  page: readonly PageRow[]
  hasMore: boolean
}

/** Whether the pull began before the first stamp. Of an empty feed only a pull without bound has seen everything. */
const isFullPull = ({ head, updatedSince, since }: ServedPage): boolean =>
  head.firstStamp === 0 ? updatedSince === null : since < head.firstStamp

/**
 * Lists what a page shows of the pilot checklist, from what was read for the page: a pilot's page costs no
 * more than another. A full pull counts with its last page, an incremental one for the changes later than its bound.
 */
export function evidenceOf(served: ServedPage): PageEvidence[] {
  const { head, since, page, hasMore } = served
  if (head.state !== 'live') return []
  if (isFullPull(served)) return hasMore ? [] : ['full-pull-end']
  const later = page.filter(({ kind, stamp }) => kind === 'reservation' && stamp > since)
  const shown = {
    created: later.some(({ history }) => (history?.createdStamp ?? 0) > since),
    modified: later.some(({ history }) => history?.change === 'modified'),
    cancelled: later.some(({ history }) => history?.change === 'cancelled'),
  }
  return (['created', 'modified', 'cancelled'] as const).filter((change) => shown[change])
}
