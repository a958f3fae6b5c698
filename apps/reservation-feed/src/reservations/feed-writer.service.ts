import { Injectable } from '@nestjs/common'
import { formatTimestamp } from '@connectivity/contracts/time'
import type { Transaction } from '@connectivity/database/database'
import { enqueue, type OutboxMessage } from '@connectivity/database/outbox'
import { type FeedHead, FeedHeadStore, type HeadPosition, type LockedHead } from './feed-head.store.js'
import { type FeedRow, FeedRowStore, rowKey, type StampedRow } from './feed-row.store.js'
import { bodyOf, type BookingState, type RenderedRow, renderRow, sameContent } from './reservation.js'
import { changeBetween } from './reservation-change.js'
import { reservationEventMessage } from './reservation-event.js'
import { nextStamp } from './stamps.js'

/** A row whose content differs from what the feed holds. */
interface ChangedRow {
  head: FeedHead
  reservationId: string
  rendered: RenderedRow
  /** The reservation as the partner saw it last, null when it never did. */
  served: string | null
}

/** What one connection's share of a write has come to. */
interface Written {
  rows: StampedRow[]
  events: OutboxMessage[]
  position: HeadPosition
}

const servedBody = (row: FeedRow | undefined): string | null =>
  row?.kind === 'reservation' ? row.body : (row?.lastServed ?? null)

/**
 * Writes bookings into the feeds of connections: renders first, locks the head rows of the touched connections last,
 * stamps under the lock, and leaves one event per change in the outbox, all in the caller's transaction.
 * The caller holds the lock of the properties, so neither their connections nor their catalogs change meanwhile.
 */
@Injectable()
export class FeedWriter {
  constructor(
    private readonly heads: FeedHeadStore,
    private readonly rows: FeedRowStore,
  ) {}

  /**
   * @param bookings visible bookings in the source's order; each goes to the connections of its property
   * @returns number of rows that changed
   */
  async write(tx: Transaction, heads: readonly FeedHead[], bookings: readonly BookingState[]): Promise<number> {
    let changed = await this.changedRows(tx, heads, bookings)
    if (changed.length === 0) return 0
    const locked = await this.heads.lock(tx, [...new Set(changed.map(({ head }) => head.connectionId))])
    const overtaken = heads.filter(({ connectionId, lastStamp }) => {
      const now = locked.get(connectionId)
      return now !== undefined && now.lastStamp !== lastStamp
    })
    if (overtaken.length > 0) {
      const again = await this.changedRows(tx, overtaken, bookings)
      changed = [...changed.filter(({ head }) => !overtaken.includes(head)), ...again]
    }
    await this.stampAndStore(tx, changed, locked)
    return changed.length
  }

  private async changedRows(
    tx: Transaction,
    heads: readonly FeedHead[],
    bookings: readonly BookingState[],
  ): Promise<ChangedRow[]> {
    const byProperty = Map.groupBy(bookings, ({ booking }) => booking.property_id)
    const rendered = heads.flatMap((head) =>
      (byProperty.get(head.propertyId) ?? []).map((state) => ({
        head,
        reservationId: state.booking.reservation_id,
        rendered: renderRow(state, head.view),
      })),
    )
    const keys = rendered.map(({ head, reservationId }) => ({ connectionId: head.connectionId, reservationId }))
    const existing = await this.rows.find(tx, keys)
    return rendered.flatMap((row, index) => {
      const before = existing.get(rowKey(keys[index]!))
      return before && sameContent(row.rendered, before.body) ? [] : [{ ...row, served: servedBody(before) }]
    })
  }

  private async stampAndStore(
    tx: Transaction,
    changed: readonly ChangedRow[],
    locked: ReadonlyMap<string, LockedHead>,
  ): Promise<void> {
    if (changed.length === 0) return
    const written = [...Map.groupBy(changed, ({ head }) => head)].map(([head, rows]) =>
      stampRows(head, rows, locked.get(head.connectionId)!),
    )
    await this.rows.upsert(
      tx,
      written.flatMap(({ rows }) => rows),
    )
    await this.heads.move(
      tx,
      written.map(({ position }) => position),
    )
    await enqueue(
      tx,
      written.flatMap(({ events }) => events),
    )
  }
}

function stampRows({ connectionId, view }: FeedHead, changed: readonly ChangedRow[], locked: LockedHead): Written {
  let { lastStamp, lastSequence } = locked
  const rows: StampedRow[] = []
  const events: OutboxMessage[] = []
  for (const { reservationId, rendered, served } of changed) {
    lastStamp = nextStamp({ ...locked, lastStamp })
    const updatedAt = formatTimestamp(lastStamp)
    const { kind } = rendered
    const body = bodyOf(rendered, updatedAt)
    rows.push({
      connectionId,
      reservationId,
      stamp: lastStamp,
      kind,
      body,
      lastServed: kind === 'problem' ? served : null,
    })
    const change = kind === 'problem' ? null : changeBetween(served, body)
    if (!change) continue
    lastSequence += 1
    events.push(reservationEventMessage({ view, reservationId, sequence: lastSequence, updatedAt, body, change }))
  }
  return { rows, events, position: { connectionId, lastStamp, lastSequence } }
}
