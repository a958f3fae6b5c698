import { Injectable } from '@nestjs/common'
import { Database } from '@connectivity/database/database'
import { queryRows } from '@connectivity/database/query-rows'
import type { FeedState } from '../connections/connection.store.js'
import type { RenderedRow } from './reservation.js'

/** What the head row says to a poller. */
export interface PageHead {
  state: FeedState
  externalPropertyId: string
  catalogVersion: string
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

type RawRow = [stamp: string, kind: RenderedRow['kind'], bytes: number, body: string | null]

/** Larger bodies are read only once it is known that they fit on the page: a hundred of them would fill the memory. */
const LARGE = 64 * 1024

/** Reads of the feed: a primary-key look at the head, then at most one range of the rows' index. */
@Injectable()
export class FeedPageStore {
  constructor(private readonly database: Database) {}

  async head(connectionId: string): Promise<PageHead | null> {
    const rows = await queryRows<[FeedState, string, string, string]>(this.database.reads, {
      name: 'page-head',
      text: 'SELECT state, external_property_id, catalog_version, last_stamp FROM feed_connection WHERE connection_id = $1',
      values: [connectionId],
    })
    const row = rows[0]
    return row ? { state: row[0], externalPropertyId: row[1], catalogVersion: row[2], lastStamp: Number(row[3]) } : null
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
