import { formatTimestamp } from '@connectivity/contracts/time'
import type { StampKind } from '@connectivity/contracts/timeline'
import type { OutboxMessage } from '@connectivity/database'
import type { ConnectionView } from './connection-view.js'
import type { HeadPosition, LockedHead } from './feed-head.store.js'
import type { StampedRow } from './feed-row.store.js'
import { bodyOf, type RenderedRow } from './rendered-row.js'
import { changeBetween, redelivered, type EventChange, shownChange } from './event-change.js'
import { reservationEventMessage } from './reservation-event.js'
import { nextStamp } from './stamps.js'

/** A row that gets a new stamp, with or without new content. */
export interface ChangedRow {
  reservationId: string
  rendered: RenderedRow
  /** The reservation as the partner last saw it, null when it never did. */
  served: string | null
  /** Whether it was a problem row before. */
  wasProblem: boolean
  /** Time at the booking engine of the event that caused it, ms; null without an event. */
  time: number | null
  /** Trace of the same event, if it has one. */
  traceparent?: string | null
}

/** Result of one connection's share of a write. */
export interface Written {
  rows: StampedRow[]
  events: OutboxMessage[]
  position: HeadPosition
}

/** Cause of new stamps: changed content, or an operator's redelivery. */
export type Cause = 'content' | 'redelivery'

/** Stamps each of at least one row in turn and builds the events in the same order. The head is locked. */
export function stampRows(
  view: Pick<ConnectionView, 'connectionId' | 'externalPropertyId'>,
  changed: readonly ChangedRow[],
  locked: LockedHead,
  cause: Cause,
): Written {
  const { connectionId } = view
  let { lastStamp, lastSequence } = locked
  const rows: StampedRow[] = []
  const events: OutboxMessage[] = []
  for (const { reservationId, rendered, served, wasProblem, traceparent } of changed) {
    lastStamp = nextStamp({ ...locked, lastStamp })
    const updatedAt = formatTimestamp(lastStamp)
    const { kind } = rendered
    const body = bodyOf(rendered, updatedAt)
    const lastServed = kind === 'problem' ? served : null
    const change = kind === 'problem' ? null : changeOf(cause, served, body)
    const row = { connectionId, reservationId, stamp: lastStamp, kind, body, lastServed }
    const stamped = { stampKind: stampKindOf(cause, kind, wasProblem), changes: change && change.changes }
    rows.push({ ...row, ...stamped, change: change && shownChange(change) })
    if (!change) continue
    lastSequence += 1
    const facts = { view, reservationId, sequence: lastSequence, updatedAt, body, change, traceparent }
    events.push(reservationEventMessage(facts))
  }
  const firstStamp = rows[0]!.stamp
  return { rows, events, position: { connectionId, firstStamp, lastStamp, lastSequence, lag: lagOf(changed, locked) } }
}

/** @returns null for a change without an event */
const changeOf = (cause: Cause, served: string | null, body: string): EventChange | null =>
  cause === 'redelivery' ? redelivered(body) : changeBetween(served, body)

function stampKindOf(cause: Cause, kind: RenderedRow['kind'], wasProblem: boolean): StampKind {
  if (cause === 'redelivery') return 'redelivered'
  if (kind === 'problem') return 'problem'
  return wasProblem ? 'mended' : 'stamped'
}

/** Lag from the booking engine to here; null for a feed that is not served yet. */
function lagOf(changed: readonly ChangedRow[], { state, clock }: LockedHead): number | null {
  const time = changed.at(-1)?.time ?? null
  return time === null || state !== 'live' ? null : Math.max(0, clock - time)
}
