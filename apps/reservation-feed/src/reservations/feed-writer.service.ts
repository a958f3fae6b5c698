import { Injectable } from '@nestjs/common'
import type { Transaction } from '@connectivity/database/transaction'
import { enqueue } from '@connectivity/database/outbox'
import type { ConnectionView } from './connection-view.js'
import { type FeedHead, FeedHeadStore, type LockedHead } from './feed-head.store.js'
import { type FeedRow, FeedRowStore, rowKey } from './feed-row.store.js'
import { asRendered, type BookingState, renderRow, sameContent } from './reservation.js'
import { type ChangedRow, stampRows, type Written } from './stamped-rows.js'

/** A booking to be written into the feeds. */
export interface BookingWrite extends BookingState {
  /** Time at the booking engine of the event that caused it, ms; absent without an event. */
  time?: number | null
  /** Trace of the same event, if it has one. */
  traceparent?: string | null
}

/** Result of a write. */
export interface WriteOutcome {
  /** Number of rows that changed. */
  changed: number
  /** Event time, ms, for each row of a live feed that an event has changed. */
  shown: number[]
}

interface Change {
  head: FeedHead
  row: ChangedRow
}

/** A row before its change. */
const stateOf = (row: FeedRow | undefined): Pick<ChangedRow, 'served' | 'wasProblem'> => ({
  served: row?.kind === 'reservation' ? row.body : (row?.lastServed ?? null),
  wasProblem: row?.kind === 'problem',
})

/**
 * Writes bookings into the feeds of connections: renders first, locks the head rows of the touched connections last,
 * stamps under the lock, and leaves one event per change in the outbox, all in the caller's transaction.
 */
@Injectable()
export class FeedWriter {
  constructor(
    private readonly heads: FeedHeadStore,
    private readonly rows: FeedRowStore,
  ) {}

  /**
   * Writes what differs from what the feeds hold. The caller holds the lock of the properties, so neither their
   * connections nor their catalogs change meanwhile.
   * @param bookings visible bookings in the source's order; each goes to the connections of its property
   * @param existing rows that were there a moment ago, at least those of the bookings
   */
  async write(
    tx: Transaction,
    heads: readonly FeedHead[],
    bookings: readonly BookingWrite[],
    existing?: ReadonlyMap<string, FeedRow>,
  ): Promise<WriteOutcome> {
    let changes = await this.changes(tx, heads, bookings, existing)
    if (changes.length === 0) return { changed: 0, shown: [] }
    const locked = await this.heads.lock(tx, [...new Set(changes.map(({ head }) => head.connectionId))])
    const overtaken = heads.filter(({ connectionId, lastStamp }) => {
      const now = locked.get(connectionId)
      return now !== undefined && now.lastStamp !== lastStamp
    })
    if (overtaken.length > 0) {
      const again = await this.changes(tx, overtaken, bookings)
      changes = [...changes.filter(({ head }) => !overtaken.includes(head)), ...again]
    }
    const written = [...Map.groupBy(changes, ({ head }) => head)].map(([{ connectionId, view }, of]) =>
      stampRows(
        view,
        of.map(({ row }) => row),
        locked.get(connectionId)!,
        'content',
      ),
    )
    this.store(tx, written)
    return { changed: changes.length, shown: shownTimes(changes, locked) }
  }

  /**
   * Gives rows of a live feed a new place with unchanged content; each reservation among them makes an event.
   * @returns number of rows stamped: ids that are not in the feed are skipped
   */
  async stampAgain(
    tx: Transaction,
    view: Pick<ConnectionView, 'connectionId' | 'externalPropertyId'>,
    reservationIds: readonly string[],
  ): Promise<number> {
    const { connectionId } = view
    const head = (await this.heads.lock(tx, [connectionId])).get(connectionId)
    if (head?.state !== 'live') return 0
    const keys = reservationIds.map((reservationId) => ({ connectionId, reservationId }))
    const existing = await this.rows.find(tx, keys)
    const rows = keys.flatMap((key): ChangedRow[] => {
      const row = existing.get(rowKey(key))
      const { reservationId } = key
      return row ? [{ reservationId, rendered: asRendered(row), ...stateOf(row), time: null }] : []
    })
    if (rows.length > 0) this.store(tx, [stampRows(view, rows, head, 'redelivery')])
    return rows.length
  }

  /** Current rows of the bookings, in a single statement. */
  existing(
    tx: Transaction,
    heads: readonly FeedHead[],
    bookings: readonly BookingState[],
  ): Promise<Map<string, FeedRow>> {
    const byProperty = Map.groupBy(bookings, ({ booking }) => booking.property_id)
    const keys = heads.flatMap(({ connectionId, propertyId }) =>
      (byProperty.get(propertyId) ?? []).map(({ booking }) => ({
        connectionId,
        reservationId: booking.reservation_id,
      })),
    )
    return this.rows.find(tx, keys)
  }

  private async changes(
    tx: Transaction,
    heads: readonly FeedHead[],
    bookings: readonly BookingWrite[],
    known?: ReadonlyMap<string, FeedRow>,
  ): Promise<Change[]> {
    const byProperty = Map.groupBy(bookings, ({ booking }) => booking.property_id)
    const rendered = heads.flatMap((head) =>
      (byProperty.get(head.propertyId) ?? []).map((state) => ({
        head,
        reservationId: state.booking.reservation_id,
        rendered: renderRow(state, head.view),
        time: state.time ?? null,
        traceparent: state.traceparent,
      })),
    )
    const existing = known ?? (await this.existing(tx, heads, bookings))
    return rendered.flatMap(({ head, ...row }) => {
      const before = existing.get(rowKey({ connectionId: head.connectionId, reservationId: row.reservationId }))
      return before && sameContent(row.rendered, before.body) ? [] : [{ head, row: { ...row, ...stateOf(before) } }]
    })
  }

  private store(tx: Transaction, written: readonly Written[]): void {
    if (written.length === 0) return
    this.rows.upsert(
      tx,
      written.flatMap(({ rows }) => rows),
    )
    this.heads.move(
      tx,
      written.map(({ position }) => position),
    )
    enqueue(
      tx,
      written.flatMap(({ events }) => events),
    )
  }
}

const shownTimes = (changes: readonly Change[], locked: ReadonlyMap<string, LockedHead>): number[] =>
  changes.flatMap(({ head, row }) =>
    row.time !== null && locked.get(head.connectionId)?.state === 'live' ? [row.time] : [],
  )
