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

/**
 * Moves entries to the stamp that they are about if they are older: a stamp may be ahead of the clock, and a request
 * that waited was read before it.
 */
function notBeforeStamps(entries: readonly TimelineEntry[]): TimelineEntry[] {
  const events = entries.filter(({ kind }) => kind === 'event')
  const stamps = new Map(events.map(({ event_id, updated_at }) => [event_id, updated_at]))
  return entries.map((entry) => {
    const stamp = entry.updated_at ?? stamps.get(entry.event_id) ?? ''
    return entry.at < stamp ? { ...entry, at: stamp } : entry
  })
}

/** Merges the records of feed, event dispatch and request log: the newest thousand entries, oldest first. */
export function timelineOf(
  changes: readonly RecordedChange[],
  pages: readonly ServedPage[],
  events: readonly TimelineEntry[],
): TimelineEntry[] {
  const entries = notBeforeStamps([...changes.map(stamped), ...events, ...pages.map(served)])
  const inOrder = entries.toSorted((a, b) => a.at.localeCompare(b.at) || ORDER[a.kind] - ORDER[b.kind])
  return inOrder.slice(-MAX_TIMELINE_ENTRIES)
}
