import type { PageEvidence } from '@connectivity/contracts/evidence'
import type { PageHead, PageRow } from './feed-page.store.js'

/** The facts of a page that are evidence for a pilot. */
export interface ServedPage {
  head: PageHead
  /** Whether the request has an `updated_since`. */
  isBounded: boolean
  /** Last stamp that is not after the pull's own lower bound, ms; 0 when it has none. */
  since: number
  /** Rows on the page, read with their history. */
  page: readonly PageRow[]
  hasMore: boolean
}

/** Whether the pull began before the first stamp. For an empty feed, only a pull without a bound counts. */
const isFullPull = ({ head, isBounded, since }: ServedPage): boolean =>
  head.firstStamp === 0 ? !isBounded : since < head.firstStamp

/**
 * Lists the evidence for the pilot checklist in a page, from the rows read for it: a pilot's page costs no more than
 * another. A full pull counts with its last page, an incremental one for the changes later than its bound.
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
