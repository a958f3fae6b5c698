import { Injectable } from '@nestjs/common'
import { bulkColumn, bulkValue } from '@connectivity/database/bulk'
import { Database } from '@connectivity/database/database'
import { queryRows } from '@connectivity/database/query-rows'
import type { FeedState } from '../connections/connection.store.js'
import { CoalescedReads } from './coalesced-reads.js'
import type { RenderedRow } from './reservation.js'
import type { ShownChange } from './reservation-change.js'

/** What the head row says to a poller. */
export interface PageHead {
  state: FeedState
  externalPropertyId: string
  catalogVersion: string
  /** First assigned stamp, ms; 0 when there is none yet. */
  firstStamp: number
  /** Last assigned stamp, ms; 0 when there is none yet. */
  lastStamp: number
}

/** A row as a page needs it: its place, its size in bytes, and its text unless that is large. */
export interface PageRow {
  stamp: number
  kind: RenderedRow['kind']
  bytes: number
  body: string | null
}

/** A row with its text. */
export type CompleteRow = Pick<PageRow, 'stamp' | 'kind'> & { body: string }

/** Rows of a pull: its own lower bound, and the stamps between which a page of it stands. */
export interface ChangeRange {
  bound: number
  from: number
  to: number
}

/** Whether some of the rows are what the pilot checklist asks for. */
export type Changes = Record<ShownChange, boolean>

type RawRow = [stamp: string, kind: RenderedRow['kind'], bytes: number, body: string | null]

/** Larger bodies are read only once it is known that they fit on the page: a hundred of them would fill the memory. */
const LARGE = 64 * 1024

/** Reads of the feed: a primary-key look at the head, then at most one range of the rows' index. */
@Injectable()
export class FeedPageStore {
  private readonly heads = new CoalescedReads((ids) => this.readHeads(ids))

  constructor(private readonly database: Database) {}

  /** The head as it stands now: nothing is kept in memory, because other replicas write too. */
  head(connectionId: string): Promise<PageHead | null> {
    return this.heads.read(connectionId)
  }

  private async readHeads(connectionIds: readonly string[]): Promise<Map<string, PageHead>> {
    const rows = await queryRows<[string, FeedState, string, string, string, string]>(this.database.reads, {
      name: 'page-heads',
      text: `SELECT connection_id, state, external_property_id, catalog_version, first_stamp, last_stamp
               FROM feed_connection WHERE connection_id = ANY (${bulkColumn(1, 'text')})`,
      values: [bulkValue(connectionIds)],
    })
    return new Map(
      rows.map(([connectionId, state, externalPropertyId, catalogVersion, firstStamp, lastStamp]) => [
        connectionId,
        { state, externalPropertyId, catalogVersion, firstStamp: Number(firstStamp), lastStamp: Number(lastStamp) },
      ]),
    )
  }

  /** Rows with a stamp of at least `from`, in order. */
  async rows(connectionId: string, from: number, limit: number): Promise<PageRow[]> {
    const rows = await queryRows<RawRow>(this.database.reads, {
      name: 'page-rows',
      text: `SELECT stamp, kind, octet_length(body), CASE WHEN octet_length(body) <= ${LARGE} THEN body END
               FROM feed_row WHERE connection_id = $1 AND stamp >= $2 ORDER BY stamp LIMIT $3`,
      values: [connectionId, from, limit],
    })
    return rows.map(([stamp, kind, bytes, body]) => ({ stamp: Number(stamp), kind, bytes, body }))
  }

  /** The rows with their texts; one that has moved on since it was read is left out and stands further back now. */
  async withBodies(connectionId: string, page: readonly PageRow[]): Promise<CompleteRow[]> {
    const missing = page.filter(({ body }) => body === null).map(({ stamp }) => stamp)
    if (missing.length === 0) return page as readonly PageRow[] & CompleteRow[]
    const rows = await queryRows<[string, string]>(this.database.reads, {
      name: 'page-large-rows',
      text: 'SELECT stamp, body FROM feed_row WHERE connection_id = $1 AND stamp = ANY ($2)',
      values: [connectionId, missing],
    })
    const bodies = new Map(rows.map(([stamp, body]) => [Number(stamp), body]))
    return page.flatMap((row) => {
      const body = row.body ?? bodies.get(row.stamp)
      return body === undefined ? [] : [{ ...row, body }]
    })
  }

  /** What happened to the reservations with a stamp after the bound, from `from` to `to`. */
  async changes(connectionId: string, { bound, from, to }: ChangeRange): Promise<Changes> {
    const rows = await queryRows<[boolean | null, boolean | null, boolean | null]>(this.database.reads, {
      name: 'page-changes',
      text: `SELECT bool_or(created_stamp > $2), bool_or(change = 'modified'), bool_or(change = 'cancelled')
               FROM feed_row WHERE connection_id = $1 AND stamp > $2 AND stamp BETWEEN $3 AND $4 AND kind = 'reservation'`,
      values: [connectionId, bound, from, to],
    })
    const [created, modified, cancelled] = rows[0]!
    return { created: created === true, modified: modified === true, cancelled: cancelled === true }
  }

  async row(connectionId: string, reservationId: string): Promise<CompleteRow | null> {
    const rows = await queryRows<[string, RenderedRow['kind'], string]>(this.database.reads, {
      name: 'page-row',
      text: 'SELECT stamp, kind, body FROM feed_row WHERE connection_id = $1 AND reservation_id = $2',
      values: [connectionId, reservationId],
    })
    const row = rows[0]
    return row ? { stamp: Number(row[0]), kind: row[1], body: row[2] } : null
  }
}
