import { Injectable } from '@nestjs/common'
import type { ConnectionState, Environment } from '@connectivity/contracts/connection-events'
import { overviewNeeds as needs, type OverviewNeed } from '@connectivity/contracts/operators-records'
import { bulkColumn, bulkRows, bulkValue, Database } from '@connectivity/database'
import { isId } from '@connectivity/service-kit/text'
import type { PageRequest } from '@connectivity/service-kit/operators'

/** The gateway's own facts about a connection's health. */
export interface ConnectionOverview {
  connection_id: string
  application_id: string
  /** The booking engine's property id. */
  source_property_id: string
  state: ConnectionState
  environment: Environment
  application_name: string
  /** Null until the catalog has arrived. */
  property_name: string | null
  external_property_id: string
  last_change_at: Date | null
  last_polled_at: Date | null
  /** In `pilot` or `production`, without a poll for half an hour or ever; see `countStoppedPolling`. */
  is_silent: boolean
  /** Position of its most urgent need in `needs`, from 1; `needs.length + 1` when nothing needs attention. */
  rank: number
}

/**
 * Connections that need attention according to other services; dead letters also name properties of the booking engine.
 */
export type Needing = ReadonlyMap<Exclude<OverviewNeed, 'silent'>, ReadonlySet<string>>

/** Filter for connections; null: any. */
export interface OverviewFilter {
  state: ConnectionState | null
  applicationId: string | null
  /** Only connections in `pilot` or `production` that have not polled for this many seconds, or have never polled. */
  silentFor: number | null
  /** Ids of the only connections to show; null: any. */
  ids: readonly string[] | null
}

/** Place of a connection in the list, with its rank as shown: the connection may change before the next page. */
export const placeOf = ({ rank, connection_id }: ConnectionOverview): string => `${rank}.${connection_id}`

/** Whether a text has the form of a place. */
export function isPlace(text: string): boolean {
  const [rank = '', id = '', ...rest] = text.split('.')
  return /^[1-9]$/.test(rank) && isId(id) && rest.length === 0
}

/** Whether a partner is expected to poll; not while operators decide about its production request. */
const POLLS = `c.state IN ('pilot', 'production')`
const QUIET_SINCE = 'coalesce(a.last_polled_at, c.created_at)'
const SILENT = `(${POLLS} AND ${QUIET_SINCE} < now() - interval '30 minutes')`
const UNNEEDED = needs.length + 1

const OVERVIEW = `
  WITH need AS (SELECT key, min(rank) AS rank FROM ${bulkRows(['text', 'integer'], 7)} AS given (key, rank) GROUP BY key),
  shown AS (
  SELECT c.connection_id, c.application_id, c.source_property_id, c.state, c.environment,
         s.name AS application_name, p.name AS property_name,
         coalesce(p.external_property_id, c.external_property_id) AS external_property_id,
         a.last_change_at, a.last_polled_at, ${SILENT} AS is_silent,
         CASE WHEN c.state = 'closed' THEN ${UNNEEDED}
              ELSE least(own.rank, its.rank, CASE WHEN ${SILENT} THEN ${needs.length} ELSE ${UNNEEDED} END) END AS rank
    FROM connection c JOIN application s USING (application_id)
    LEFT JOIN property p USING (connection_id)
    LEFT JOIN connection_activity a USING (connection_id)
    LEFT JOIN need own ON own.key = c.connection_id
    LEFT JOIN need its ON its.key = c.source_property_id
   WHERE ($3::text IS NULL OR c.state = $3) AND ($4::text IS NULL OR c.application_id = $4)
     AND ($5::integer IS NULL OR ${POLLS} AND ${QUIET_SINCE} < now() - $5 * interval '1 second')
     AND ($6::text IS NULL OR c.connection_id = ANY (${bulkColumn(6, 'text')})))
  SELECT * FROM shown
   WHERE $1::integer IS NULL OR (rank, connection_id) > ($1, $9::text)
   ORDER BY rank, connection_id
   LIMIT $2`

/** Connections with their activity, read in one query. */
@Injectable()
export class OverviewStore {
  constructor(private readonly database: Database) {}

  /** Connections that need attention first, one more than the page's limit. */
  async list(filter: OverviewFilter, needing: Needing, { limit, after }: PageRequest): Promise<ConnectionOverview[]> {
    const { state, applicationId, silentFor, ids } = filter
    const ranked = [...needing].flatMap(([need, keys]) =>
      [...keys].filter(isId).map((key): [string, number] => [key, needs.indexOf(need) + 1]),
    )
    const given = ranked.length === 0 ? [['-', UNNEEDED] as const] : ranked
    const need = [bulkValue(given.map(([key]) => key)), bulkValue(given.map(([, rank]) => rank))]
    const [rank = null, id = null] = after?.split('.') ?? []
    const values = [
      rank,
      limit + 1,
      state,
      applicationId,
      silentFor,
      ids && bulkValue(ids.length === 0 ? ['-'] : ids),
      ...need,
      id,
    ]
    const query = { name: 'overview', text: OVERVIEW, values }
    return (await this.database.query<ConnectionOverview>(query)).rows
  }
}
