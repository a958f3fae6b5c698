import { hash } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { bulkColumn, bulkValue, Database, queryRows } from '@connectivity/database'
import { Gathering } from '@connectivity/service-kit/work'
import type { FeedState } from '../projection/feed-state.js'
import type { RenderedRow } from '../projection/rendered-row.js'
import type { ShownChange } from '../projection/event-change.js'

/** The head row as a poller sees it. */
export interface PageHead {
  state: FeedState
  externalPropertyId: string
  /** Short hash of the external property id, for tags. */
  codeHash: string
  /** First assigned stamp, ms; 0 when there is none yet. */
  firstStamp: number
  /** Last assigned stamp, ms; 0 when there is none yet. */
  lastStamp: number
}

/** History of a row's reservation. */
interface RowHistory {
  /** Stamp at which the connection first saw the reservation, ms; null if already cancelled then, or never shown. */
  createdStamp: number | null
  /** Change that caused the stamp; null if nothing changed that the partner sees as a reservation. */
  change: ShownChange | null
}

/** A row of a page: its stamp, its size in bytes, and its text unless that is large. */
export interface PageRow {
  stamp: number
  kind: RenderedRow['kind']
  bytes: number
  body: string | null
  /** Only when requested. */
  history?: RowHistory
}

/** A row of a page with its text. */
export type CompleteRow = PageRow & { body: string }

/** A row that is read alone. */
export type SingleRow = Omit<CompleteRow, 'bytes'>

/** Rows to read. */
export interface RowRange {
  /** First stamp, ms. */
  from: number
  limit: number
  /** Whether to read their history as well, as evidence for pilots. */
  withHistory: boolean
}

/** A head, and the requested rows of its feed: none unless the feed is live. */
export interface HeadAndRows {
  head: PageHead | null
  rows: readonly PageRow[]
}

type RawHead = [state: FeedState, externalPropertyId: string, firstStamp: string, lastStamp: string]
type RawRow = [
  kind: RenderedRow['kind'],
  stamp: string,
  bytes: number,
  body: string | null,
  createdStamp?: string | null,
  change?: ShownChange | null,
]

/** A read that takes longer does not hold up the next ones: its connection may be lost silently. */
const READS_OF_HEADS = { batches: 3, patience: 50 }
/** Size from which bodies are read only if they fit on the page: a hundred of them would fill the memory. */
const LARGE = 64 * 1024

/** Short hash of a property's code, which may hold characters that a header may not. */
const codeHashOf = (externalPropertyId: string): string => hash('sha256', externalPropertyId).slice(0, 8)

const headOf = ([state, externalPropertyId, firstStamp, lastStamp]: RawHead): PageHead => ({
  state,
  externalPropertyId,
  codeHash: codeHashOf(externalPropertyId),
  firstStamp: Number(firstStamp),
  lastStamp: Number(lastStamp),
})

const pageStatement = (withHistory: boolean): { name: string; text: string } => ({
  name: withHistory ? 'page-head-and-rows-history' : 'page-head-and-rows',
  text: `SELECT 'head' AS kind, NULL::bigint AS stamp, NULL::integer AS bytes,
                json_build_array(state, external_property_id, first_stamp::text, last_stamp::text)::text AS body ${withHistory ? ', NULL::bigint, NULL::text' : ''}
           FROM feed_connection WHERE connection_id = $1
          UNION ALL
         (SELECT kind, stamp, octet_length(body), CASE WHEN octet_length(body) <= ${LARGE} THEN body END
                 ${withHistory ? ', created_stamp, change' : ''}
            FROM feed_row WHERE connection_id = $1 AND stamp >= $2 ORDER BY stamp LIMIT $3)`,
})
const statements = { plain: pageStatement(false), withHistory: pageStatement(true) }

function rowOf([kind, stamp, bytes, body, createdStamp, change]: RawRow): PageRow {
  const row: PageRow = { kind, stamp: Number(stamp), bytes, body }
  if (change !== undefined) row.history = { createdStamp: createdStamp ? Number(createdStamp) : null, change }
  return row
}

/** Reads the feed: a primary-key lookup of the head, and at most one range of the rows' index. */
@Injectable()
export class FeedPageStore {
  private readonly heads = new Gathering(READS_OF_HEADS, (ids: string[]) => this.readHeads(ids))

  constructor(private readonly database: Database) {}

  /** Reads the head from the database. */
  head(connectionId: string): Promise<PageHead | null> {
    return this.heads.add(connectionId)
  }

  private async readHeads(connectionIds: readonly string[]): Promise<(PageHead | null)[]> {
    const rows = await queryRows<[string, ...RawHead]>(this.database, {
      name: 'page-heads',
      text: `SELECT connection_id, state, external_property_id, first_stamp, last_stamp
               FROM feed_connection WHERE connection_id = ANY (${bulkColumn(1, 'text')})`,
      values: [bulkValue([...new Set(connectionIds)])],
    })
    const heads = new Map(rows.map(([connectionId, ...head]) => [connectionId, headOf(head)]))
    return connectionIds.map((connectionId) => heads.get(connectionId) ?? null)
  }

  /** The head, null when there is none, and rows in order of their stamps, all as of one moment. */
  async headAndRows(connectionId: string, { from, limit, withHistory }: RowRange): Promise<HeadAndRows> {
    const found = await queryRows<RawRow | ['head', null, null, string]>(this.database, {
      ...(withHistory ? statements.withHistory : statements.plain),
      values: [connectionId, from, limit],
    })
    let head: PageHead | null = null
    const rows: PageRow[] = []
    for (const row of found) {
      if (row[0] === 'head') head = headOf(JSON.parse(row[3]!) as RawHead)
      else rows.push(rowOf(row))
    }
    return { head, rows: head?.state === 'live' ? rows : [] }
  }

  /** The rows with their texts. Omits a row that has moved since it was read: it is further back now. */
  async withBodies(connectionId: string, page: readonly PageRow[]): Promise<CompleteRow[]> {
    const missing = page.filter(({ body }) => body === null).map(({ stamp }) => stamp)
    if (missing.length === 0) return page as readonly PageRow[] & CompleteRow[]
    const rows = await queryRows<[string, string]>(this.database, {
      name: 'page-large-rows',
      text: `SELECT stamp, body FROM feed_row WHERE connection_id = $1 AND stamp = ANY (${bulkColumn(2, 'bigint')})`,
      values: [connectionId, bulkValue(missing)],
    })
    const bodies = new Map(rows.map(([stamp, body]) => [Number(stamp), body]))
    return page.flatMap((row) => {
      const body = row.body ?? bodies.get(row.stamp)
      return body === undefined ? [] : [{ ...row, bytes: Buffer.byteLength(body), body }]
    })
  }

  /** One row; null when the feed has never had it. */
  async row(connectionId: string, reservationId: string): Promise<SingleRow | null> {
    const rows = await queryRows<[string, RenderedRow['kind'], string]>(this.database, {
      name: 'page-row',
      text: 'SELECT stamp, kind, body FROM feed_row WHERE connection_id = $1 AND reservation_id = $2',
      values: [connectionId, reservationId],
    })
    const row = rows[0]
    return row ? { stamp: Number(row[0]), kind: row[1], body: row[2] } : null
  }
}
