import { formatTimestamp } from '@connectivity/contracts/time'
import {
  MAX_TIMELINE_ENTRIES,
  type RecordedChange,
  type TimelineEntry,
  type TimelineKind,
} from '@connectivity/contracts/timeline'
import type { ServedPage } from '../request-log/served-page.store.js'

/** Order of entries with the same time. */
const ORDER: Record<TimelineKind, number> = {
  stamped: 0,
  problem: 0,
  mended: 0,
  redelivered: 0,
  event: 1,
  attempt: 2,
  served: 3,
  acknowledged: 4,
}

const NOTHING = { changes: null, correlation_id: null, event_id: null, status: null }

/** The entry of a stamp; its time is the stamp itself. */
const stamped = ({ stamp, kind, changes }: RecordedChange): TimelineEntry => {
  const at = formatTimestamp(stamp)
  return { at, kind, updated_at: at, ...NOTHING, changes }
}

const served = ({ at, correlationId, stamp }: ServedPage): TimelineEntry => ({
  at: at.toISOString(),
  kind: 'served',
  updated_at: formatTimestamp(stamp),
  ...NOTHING,
  correlation_id: correlationId,
})

/** Merges the records of feed, event dispatch and request log: the newest thousand entries, oldest first. */
export function timelineOf(
  changes: readonly RecordedChange[],
  pages: readonly ServedPage[],
  events: readonly TimelineEntry[],
): TimelineEntry[] {
  const entries = [...changes.map(stamped), ...events, ...pages.map(served)]
  const inOrder = entries.sort((a, b) => a.at.localeCompare(b.at) || ORDER[a.kind] - ORDER[b.kind])
  return inOrder.slice(-MAX_TIMELINE_ENTRIES)
}
