import { Injectable } from '@nestjs/common'
import { Database } from '@connectivity/database/database'
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

/** A row as a page needs it: bytes and their place. */
export type PageRow = [stamp: string, kind: RenderedRow['kind'], body: string]

/** Reads of the feed: a primary-key look at the head, then at most one range of the rows' index. */
@Injectable()
export class FeedPageStore {
  constructor(private readonly database: Database) {}

  async head(connectionId: string): Promise<PageHead | null> {
    const { rows } = await this.database.reads.query<[FeedState, string, string, string]>({
      name: 'page-head',
      text: 'SELECT state, external_property_id, catalog_version, last_stamp FROM feed_connection WHERE connection_id = $1',
      values: [connectionId],
      rowMode: 'array',
    } as never)
    const row = rows[0]
    return row ? { state: row[0], externalPropertyId: row[1], catalogVersion: row[2], lastStamp: Number(row[3]) } : null
  }

  /** Rows with a stamp of at least `from`, in order. */
  async rows(connectionId: string, from: number, limit: number): Promise<PageRow[]> {
    const { rows } = await this.database.reads.query<PageRow>({
      name: 'page-rows',
      text: 'SELECT stamp, kind, body FROM feed_row WHERE connection_id = $1 AND stamp >= $2 ORDER BY stamp LIMIT $3',
      values: [connectionId, from, limit],
      rowMode: 'array',
    } as never)
    return rows
  }

  async row(connectionId: string, reservationId: string): Promise<PageRow | null> {
    const { rows } = await this.database.reads.query<PageRow>({
      name: 'page-row',
      text: 'SELECT stamp, kind, body FROM feed_row WHERE connection_id = $1 AND reservation_id = $2',
      values: [connectionId, reservationId],
      rowMode: 'array',
    } as never)
    return rows[0] ?? null
  }
}
