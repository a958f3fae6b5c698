import type { DeliveryState, EventPage, IndexedEvent } from '@connectivity/contracts/event-index'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import type { EventEntry } from './event-index.store.js'

/** Most bytes of a page; a single larger event gets a page of its own. */
const PAGE_BYTES = 4 * 1024 * 1024
/** Generous estimates of the page's envelope and, in `ADDED_BYTES`, of the fields and comma added to each event. */
const FRAME_BYTES = 4 * 1024
const ADDED_BYTES = 512

/** Returns the entries that fit on the page, and whether more follow. */
export function cutEvents(
  entries: readonly EventEntry[],
  limit: number,
): { page: readonly EventEntry[]; hasMore: boolean } {
  let bytes = FRAME_BYTES
  let count = 0
  for (const entry of entries.slice(0, limit)) {
    bytes += entry.bytes + ADDED_BYTES
    if (count > 0 && bytes > PAGE_BYTES) break
    count += 1
  }
  return { page: entries.slice(0, count), hasMore: entries.length > count }
}

/** State shared by all waiting events of a connection. */
export interface Waiting {
  /** Whether they wait until their callback is resumed or their connection enabled. */
  isHeld: boolean
  /** Events up to this sequence belong to a deleted callback. */
  endedSequence: number
}

function stateOf({ state, sequence }: EventEntry, { isHeld, endedSequence }: Waiting): DeliveryState {
  if (state !== 'pending') return state
  if (sequence <= endedSequence) return 'not_configured'
  return isHeld ? 'held' : 'pending'
}

function deliveryOf(entry: EventEntry, waiting: Waiting): IndexedEvent['delivery'] {
  const { attempts, lastStatus, lastError, dueAt } = entry
  const state = stateOf(entry, waiting)
  const isRetried = state === 'pending' && attempts > 0 && dueAt !== null
  return {
    state,
    attempts,
    last_status: lastStatus,
    last_error: lastError,
    next_attempt_at: isRetried ? dueAt.toISOString() : null,
  }
}

/**
 * Returns an indexed event as JSON text: its own bytes, followed by its delivery and acknowledgement.
 * @param body JSON text of the envelope
 */
export function eventText(body: string, entry: EventEntry, waiting: Waiting): string {
  const delivery = JSON.stringify(deliveryOf(entry, waiting))
  const { acknowledgement } = entry
  const acknowledged = acknowledgement && { outcome: acknowledgement.outcome, at: acknowledgement.at.toISOString() }
  return `${body.slice(0, -1)},"delivery":${delivery},"acknowledgement":${JSON.stringify(acknowledged)}}`
}

/** Returns the page as JSON text. @param events JSON texts */
export function eventPageText(
  connectionId: string,
  events: readonly string[],
  pagination: EventPage['pagination'],
): string {
  const head = JSON.stringify({ schema_version: SCHEMA_VERSION, property_id: connectionId })
  return `${head.slice(0, -1)},"events":[${events.join(',')}],"pagination":${JSON.stringify(pagination)}}`
}
