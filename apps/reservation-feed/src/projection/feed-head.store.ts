import { Injectable } from '@nestjs/common'
import type { ConnectionCatalog } from '@connectivity/contracts/catalog-events'
import { bulkColumn, bulkRows, bulkValue, queryRows, type Transaction } from '@connectivity/database'
import { type ConnectionView, viewOf } from './connection-view.js'
import type { StampHead } from './stamps.js'
import { LRUCache } from 'lru-cache'

/**
 * The head row of a connection that takes part in the projection, locked until the transaction ends: its catalog has
 * arrived and it is not closed.
 */
export interface LockedHead extends StampHead {
  connectionId: string
  propertyId: string
  catalogVersion: number
  lastSequence: number
}

/** A locked head with what rendering needs. */
export interface FeedHead extends LockedHead {
  view: ConnectionView
}

/** State of a connection's feed after a write. */
export interface HeadPosition {
  connectionId: string
  /** First stamp of the write. */
  firstStamp: number
  lastStamp: number
  lastSequence: number
  /** Lag of the last change, from the booking engine to here, ms; null without an event or a live feed. */
  lag: number | null
}

type HeadRow = [
  connectionId: string,
  propertyId: string,
  catalogVersion: string,
  state: 'filling' | 'live',
  stamp: string,
  floor: string,
  sequence: string,
  clock: string,
]

/** Locks the heads of the connections that take part and that match the condition, in id order. */
const lockWhere = (condition: string): string =>
  `SELECT connection_id, property_id, catalog_version, state, last_stamp, fill_floor, last_sequence,
          floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
     FROM feed_connection WHERE ${condition} AND state IN ('filling', 'live') ORDER BY connection_id FOR UPDATE`

const headOf = ([connectionId, propertyId, version, state, stamp, floor, sequence, clock]: HeadRow): LockedHead => ({
  connectionId,
  propertyId,
  catalogVersion: Number(version),
  state,
  lastStamp: Number(stamp),
  fillFloor: Number(floor),
  lastSequence: Number(sequence),
  clock: Number(clock),
})

/** Limit of parsed catalogs in memory; the oldest goes first. */
const CACHED_VIEWS = 5_000

/**
 * The head rows: one per connection, locked in every transaction that changes the connection's feed, after its property
 * and before bookings and rows.
 */
@Injectable()
export class FeedHeadStore {
  private readonly views = new LRUCache<string, { catalogVersion: number; view: ConnectionView }>({ max: CACHED_VIEWS })

  /** Locks the heads of the properties' connections that take part, in id order, until the transaction ends. */
  async lockOfProperties(tx: Transaction, propertyIds: readonly string[]): Promise<LockedHead[]> {
    const rows = await queryRows<HeadRow>(tx, {
      name: 'heads-of-properties',
      text: lockWhere(`property_id = ANY (${bulkColumn(1, 'text')})`),
      values: [bulkValue(propertyIds)],
    })
    return rows.map(headOf)
  }

  /** Adds the views, from memory where possible. The caller holds the lock of the properties. */
  async withViews(tx: Transaction, heads: readonly LockedHead[]): Promise<FeedHead[]> {
    const views = await this.viewsOf(tx, heads)
    return heads.map((head) => ({ ...head, view: views.get(head.connectionId)! }))
  }

  /** Locks the head of a connection until the transaction ends. @returns undefined when it does not take part */
  async lock(tx: Transaction, connectionId: string): Promise<LockedHead | undefined> {
    const rows = await queryRows<HeadRow>(tx, {
      name: 'head-lock',
      text: lockWhere('connection_id = $1'),
      values: [connectionId],
    })
    return rows[0] && headOf(rows[0])
  }

  /** Records the new positions of the locked heads; sent along with the next statement. */
  move(tx: Transaction, positions: readonly HeadPosition[]): void {
    tx.defer({
      name: 'heads-move',
      text: `UPDATE feed_connection c
                SET last_stamp = p.last_stamp, last_sequence = p.last_sequence, last_lag_ms = coalesce(p.lag, c.last_lag_ms),
                    first_stamp = coalesce(nullif(c.first_stamp, 0), p.first_stamp)
               FROM ${bulkRows(['text', 'bigint', 'bigint', 'bigint', 'bigint'])}
                 AS p (connection_id, last_stamp, last_sequence, lag, first_stamp)
              WHERE c.connection_id = p.connection_id`,
      values: [
        bulkValue(positions.map(({ connectionId }) => connectionId)),
        bulkValue(positions.map(({ lastStamp }) => lastStamp)),
        bulkValue(positions.map(({ lastSequence }) => lastSequence)),
        bulkValue(positions.map(({ lag }) => lag)),
        bulkValue(positions.map(({ firstStamp }) => firstStamp)),
      ],
    })
  }

  /** Views by connection, from the cache where possible. */
  private async viewsOf(tx: Transaction, heads: readonly LockedHead[]): Promise<Map<string, ConnectionView>> {
    const found = new Map<string, ConnectionView>()
    for (const { connectionId, catalogVersion } of heads) {
      const cached = this.views.get(connectionId)
      if (cached?.catalogVersion === catalogVersion) found.set(connectionId, cached.view)
    }
    const missing = heads.map(({ connectionId }) => connectionId).filter((id) => !found.has(id))
    if (missing.length === 0) return found
    const rows = await queryRows<[string, string, string]>(tx, {
      text: `SELECT connection_id, catalog_version, catalog FROM feed_connection
              WHERE connection_id = ANY (${bulkColumn(1, 'text')})`,
      values: [bulkValue(missing)],
    })
    for (const [connectionId, catalogVersion, catalog] of rows) {
      const view = viewOf(JSON.parse(catalog) as ConnectionCatalog)
      found.set(connectionId, view)
      this.views.set(connectionId, { catalogVersion: Number(catalogVersion), view })
    }
    return found
  }
}
