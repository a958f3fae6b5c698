import { Injectable } from '@nestjs/common'
import type { PageEvidence } from '@connectivity/contracts/evidence'
import { FeedPageStore, type PageHead } from './feed-page.store.js'

/** A page as far as a pilot is graded by it. */
export interface ServedPage {
  connectionId: string
  head: PageHead
  /** The pull's own lower bound on stamps, ms; 0 when it has none. */
  since: number
  /** First stamp that could stand on the page. */
  from: number
  /** Number of rows on it. */
  count: number
  /** Last stamp that stands on it. */
  checkpoint: number
  hasMore: boolean
}

/** Says what a page showed of the pilot checklist, api.md §9. */
@Injectable()
export class PageGrading {
  constructor(private readonly store: FeedPageStore) {}

  /**
   * A pull from before the first stamp is a full one, of which the end counts; any other is incremental and counts for
   * the changes later than its bound.
   */
  async of({ connectionId, head, since, from, count, checkpoint, hasMore }: ServedPage): Promise<PageEvidence[]> {
    if (head.state !== 'live') return []
    const isFull = since === 0 || since < head.firstStamp || head.firstStamp === 0
    if (isFull) return hasMore ? [] : ['full-pull-end']
    if (count === 0) return []
    const changes = await this.store.changes(connectionId, { bound: since, from, to: checkpoint })
    return (['created', 'modified', 'cancelled'] as const).filter((change) => changes[change])
  }
}
