import { Injectable } from '@nestjs/common'
import type { ConnectionCatalog } from '@connectivity/contracts/catalog-events'
import type { Connection } from '@connectivity/contracts/connection-events'
import type { ConsumedTopic } from '@connectivity/contracts/topics'
import {
  bulkColumn,
  bulkRows,
  bulkText,
  bulkValue,
  type Database,
  queryRows,
  textOf,
  type Transaction,
} from '@connectivity/database'
import type { FeedState } from '../projection/feed-state.js'

/** State of a connection's feed when a catalog arrives. */
export interface FeedStanding {
  state: FeedState
  catalogVersion: number
  lastStamp: number
  /** Database clock, ms. */
  clock: number
}

/** A connection whose rows are not all rendered with its latest catalog. */
export interface StaleConnection {
  connectionId: string
  propertyId: string
  state: FeedState
  catalogVersion: number
}

/** Notification channel for connections to be filled or rendered again. */
export const REFRESH_CHANNEL = 'feed_refresh'

/**
 * The topic of connections while some of them have no environment: during a roll-out, builds before that column store
 * connections without it, and the position after them.
 */
export async function topicsToReadAgain(database: Database): Promise<ConsumedTopic[]> {
  const rows = await queryRows(database, {
    text: `SELECT connection_id FROM feed_connection
            WHERE environment IS NULL AND connection_version > 0 AND state <> 'closed' LIMIT 1`,
  })
  return rows.length > 0 ? ['connectivity.connections.v1'] : []
}

/** Connections and their catalogs as the feed knows them, with the state of their feeds. */
@Injectable()
export class ConnectionStore {
  /**
   * Stores connections, one version of each; a lower version than the stored one changes nothing. A feed continues in
   * every state of its connection, so that a disabled one misses nothing. Only closing stops it, for good.
   */
  async save(tx: Transaction, connections: readonly Connection[]): Promise<void> {
    await tx.query({
      name: 'connections-save',
      text: `INSERT INTO feed_connection AS c (connection_id, property_id, external_property_id, connection_version, state, closed_at,
                                               connection_state, environment)
             SELECT connection_id, property_id, ${textOf('external_property_id')}, version,
                    CASE state WHEN 'closed' THEN 'closed' ELSE 'waiting' END, CASE state WHEN 'closed' THEN now() END,
                    state, environment
               FROM ${bulkRows(['text', 'text', 'json', 'bigint', 'text', 'text'])} AS given
                    (connection_id, property_id, external_property_id, version, state, environment)
              ORDER BY connection_id
             ON CONFLICT (connection_id) DO UPDATE
               SET connection_version = excluded.connection_version,
                   state = CASE excluded.state WHEN 'closed' THEN 'closed' ELSE c.state END,
                   closed_at = coalesce(c.closed_at, excluded.closed_at),
                   connection_state = excluded.connection_state, environment = excluded.environment
             WHERE c.connection_version < excluded.connection_version
                OR (c.connection_version = excluded.connection_version AND c.environment IS NULL)`,
      values: [
        bulkValue(connections.map((one) => one.connection_id)),
        bulkValue(connections.map((one) => one.property_id)),
        bulkText(connections.map((one) => one.external_property_id)),
        bulkValue(connections.map((one) => one.version)),
        bulkValue(connections.map((one) => one.state)),
        bulkValue(connections.map((one) => one.environment)),
      ],
    })
  }

  /** State, catalog version and last stamp of a feed; those of a waiting feed when it is not known yet. */
  async standing(tx: Transaction, connectionId: string): Promise<FeedStanding> {
    const rows = await queryRows<[FeedState, string, string, string]>(tx, {
      text: `SELECT coalesce(c.state, 'waiting'), coalesce(c.catalog_version, 0), coalesce(c.last_stamp, 0),
                    floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
               FROM (VALUES ($1)) AS wanted (connection_id) LEFT JOIN feed_connection c USING (connection_id)`,
      values: [connectionId],
    })
    const [state, catalogVersion, lastStamp, clock] = rows[0]!
    return { state, catalogVersion: Number(catalogVersion), lastStamp: Number(lastStamp), clock: Number(clock) }
  }

  /** Stores the catalog with the next state. On commit, notifies replicas of connections not rendered with it yet. */
  async saveCatalog(
    tx: Transaction,
    catalog: ConnectionCatalog,
    next: { state: FeedState; fillFloor: number; rendered: boolean },
  ): Promise<void> {
    const { connection_id, property_id, external_property_id, catalog_version, timezone } = catalog
    await tx.query(
      `INSERT INTO feed_connection AS c (connection_id, property_id, external_property_id, catalog_version, catalog, state, fill_floor, rendered_version,
                                         timezone)
       VALUES ($1, $2, $3, $4, $5, $6, $7, CASE WHEN $8 THEN $4::bigint ELSE 0 END, $9)
       ON CONFLICT (connection_id) DO UPDATE
         SET external_property_id = excluded.external_property_id, catalog_version = excluded.catalog_version,
             catalog = excluded.catalog, timezone = excluded.timezone,
             state = CASE c.state WHEN 'waiting' THEN excluded.state ELSE c.state END,
             fill_floor = CASE c.state WHEN 'waiting' THEN excluded.fill_floor ELSE c.fill_floor END,
             rendered_version = greatest(c.rendered_version, excluded.rendered_version)`,
      [
        connection_id,
        property_id,
        external_property_id,
        catalog_version,
        JSON.stringify(catalog),
        next.state,
        next.fillFloor,
        next.rendered,
        timezone,
      ],
    )
    if (!next.rendered) await tx.query(`NOTIFY ${REFRESH_CHANNEL}`)
  }

  /** Connections to be filled or rendered again, without those in `except`; first those that answer 503 until then. */
  async stale(database: Database, limit: number, except: readonly string[] = []): Promise<StaleConnection[]> {
    const rows = await queryRows<[string, string, FeedState, string]>(database, {
      text: `SELECT connection_id, property_id, state, catalog_version FROM feed_connection
              WHERE rendered_version < catalog_version AND state <> 'closed' AND connection_id <> ALL (${bulkColumn(2, 'text')})
              ORDER BY state = 'live', connection_id LIMIT $1`,
      values: [limit, bulkValue(except)],
    })
    return rows.map(([connectionId, propertyId, state, catalogVersion]) => ({
      connectionId,
      propertyId,
      state,
      catalogVersion: Number(catalogVersion),
    }))
  }

  /** Records that every row is rendered with this version of the catalog, and that the connection is live. */
  async markRendered(database: Database, connectionId: string, catalogVersion: number): Promise<void> {
    await database.query(
      `UPDATE feed_connection SET state = 'live', rendered_version = greatest(rendered_version, $2)
        WHERE connection_id = $1 AND state <> 'closed'`,
      [connectionId, catalogVersion],
    )
  }

  /** Lead of the connection's stamps over the clock, ms; negative when behind. */
  async stampLead(database: Database, connectionId: string): Promise<number> {
    const { rows } = await database.query<{ lead: string }>(
      `SELECT last_stamp - floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS lead FROM feed_connection WHERE connection_id = $1`,
      [connectionId],
    )
    return Number(rows[0]?.lead ?? 0)
  }

  /** Connections closed for at least `days` days whose rows may still exist. */
  async closedFor(database: Database, days: number): Promise<string[]> {
    const rows = await queryRows<[string]>(database, {
      text: `SELECT connection_id FROM feed_connection
              WHERE state = 'closed' AND catalog IS NOT NULL AND closed_at <= now() - make_interval(days => $1)`,
      values: [days],
    })
    return rows.map(([connectionId]) => connectionId)
  }

  /**
   * Deletes the catalog of a closed connection without rows, which ends its cleanup.
   * @returns false while another process is deleting the last of its rows
   */
  async forgetCatalog(database: Database, connectionId: string): Promise<boolean> {
    const { rowCount } = await database.query(
      `UPDATE feed_connection c SET catalog = NULL
        WHERE connection_id = $1 AND state = 'closed' AND NOT EXISTS (SELECT FROM feed_row r WHERE r.connection_id = c.connection_id)`,
      [connectionId],
    )
    return rowCount === 1
  }
}
