import { Injectable } from '@nestjs/common'
import { enqueue, type Transaction } from '@connectivity/database'
import type { ConnectionView } from './connection-view.js'
import { type FeedHead, FeedHeadStore } from './feed-head.store.js'
import { type FeedRow, FeedRowStore, rowKey } from './feed-row.store.js'
import { asRendered, type BookingState, renderRow, sameContent } from './rendered-row.js'
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
 * Writes bookings into the feeds of connections whose heads are locked: renders and stamps rows and enqueues one event
 * per change, all in the caller's transaction.
 */
@Injectable()
export class FeedWriter {
  constructor(
    private readonly heads: FeedHeadStore,
    private readonly rows: FeedRowStore,
  ) {}

  /**
   * Writes the rows that differ from the feeds; sent along with the next statement. The caller also holds the lock of
   * the properties, so neither their connections nor their catalogs change.
   * @param heads locked
   * @param bookings visible bookings in the source's order; each goes to the connections of its property
   * @param existing at least the rows of the bookings, read under the locks of the heads
   */
  write(
    tx: Transaction,
    heads: readonly FeedHead[],
    bookings: readonly BookingWrite[],
    existing: ReadonlyMap<string, FeedRow>,
  ): WriteOutcome {
    const changes = changesOf(heads, bookings, existing)
    const written = [...Map.groupBy(changes, ({ head }) => head)].map(([head, of]) => {
      const rows = of.map(({ row }) => row)
      return stampRows(head.view, rows, head, 'content')
    })
    this.store(tx, written)
    return { changed: changes.length, shown: shownTimes(changes) }
  }

  /**
   * Gives rows of a live feed new stamps with unchanged content; each reservation among them gets an event.
   * @returns number of rows stamped: ids that are not in the feed are skipped
   */
  async stampAgain(
    tx: Transaction,
    view: Pick<ConnectionView, 'connectionId' | 'externalPropertyId'>,
    reservationIds: readonly string[],
  ): Promise<number> {
    const { connectionId } = view
    const head = await this.heads.lock(tx, connectionId)
    if (head?.state !== 'live') return 0
    const existing = await this.rows.find(tx, connectionId, reservationIds)
    const rows = reservationIds.flatMap((reservationId): ChangedRow[] => {
      const row = existing.get(rowKey({ connectionId, reservationId }))
      return row ? [{ reservationId, rendered: asRendered(row), ...stateOf(row), time: null }] : []
    })
    if (rows.length > 0) this.store(tx, [stampRows(view, rows, head, 'redelivery')])
    return rows.length
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

/** Renderings of the bookings that differ from the rows of their connections. */
function changesOf(
  heads: readonly FeedHead[],
  bookings: readonly BookingWrite[],
  existing: ReadonlyMap<string, FeedRow>,
): Change[] {
  const byProperty = Map.groupBy(bookings, ({ booking }) => booking.property_id)
  return heads.flatMap((head) =>
    (byProperty.get(head.propertyId) ?? []).flatMap((state): Change[] => {
      const reservationId = state.booking.reservation_id
      const before = existing.get(rowKey({ connectionId: head.connectionId, reservationId }))
      const rendered = renderRow(state, head.view)
      if (before && sameContent(rendered, before.body)) return []
      const { time = null, traceparent } = state
      return [{ head, row: { reservationId, rendered, time, traceparent, ...stateOf(before) } }]
    }),
  )
}

const shownTimes = (changes: readonly Change[]): number[] =>
  changes.flatMap(({ head, row }) => (row.time !== null && head.state === 'live' ? [row.time] : []))
