import { Injectable } from '@nestjs/common'
import type { CallbackState } from '@connectivity/contracts/callbacks'
import { bulkColumn, bulkValue, Database, type Queryable } from '@connectivity/database'
import type { PageRequest } from '@connectivity/service-kit/operators'
import { LIVE_STATES } from '../backlog/live-states.js'

/** Which callbacks to list; a null state means any. */
export interface CallbackFilter {
  state: CallbackState | null
  isFailing: boolean
}

/** A callback with the state of its deliveries. */
export interface CallbackHealth extends FailureColumns {
  connection_id: string
  url: string
  events: string[]
  payload: string
  state: CallbackState
  suspended_at: Date | null
  last_success_at: Date | null
  failing_since: Date | null
  created_at: Date
  updated_at: Date
  /** Waiting deliveries. */
  pending: number
  failed: number
  /** The process that holds the lease now. */
  delivered_by: string | null
  /** Whether the connection is live. */
  is_live: boolean
  /** The breaker: whether it is open now, and until when it is or was. */
  is_open: boolean
  open_until: Date | null
  failures_in_row: number
}

/** The waiting or given-up delivery that failed last; nulls without one. */
interface FailureColumns {
  failed_at: Date | null
  failed_status: number | null
  failed_error: string | null
  failed_event: string | null
}

/** State of a callback's deliveries. */
export type DeliveryCounts = Pick<CallbackHealth, 'pending' | 'failed' | 'last_success_at'>

/** Facts of a connection, with or without a callback. */
export interface CallbackFacts {
  connection_id: string
  /** Null without a callback. */
  callback_state: CallbackState | null
  unacknowledged: number
  failed: number
  last_error: string | null
}

const counted = (state: string): string =>
  `(SELECT count(*)::integer FROM delivery d WHERE d.connection_id = c.connection_id AND d.state = '${state}')`

/** A callback that needs attention: suspended, its breaker open, or deliveries given up. */
const FAILING = `(c.state <> 'active' OR c.breaker_open_until > now()
  OR EXISTS (SELECT FROM delivery f WHERE f.connection_id = c.connection_id AND f.state = 'failed'))`

const LAST_FAILURE = `
  SELECT d.failed_at, d.last_status, d.last_error, e.event_id
    FROM delivery d JOIN event e USING (connection_id, sequence)
   WHERE d.connection_id = c.connection_id AND d.state IN ('pending', 'failed') AND d.failed_at IS NOT NULL
   ORDER BY d.failed_at DESC LIMIT 1`

const HEALTH = `
  SELECT c.connection_id, c.url, c.events, c.payload, c.state, c.suspended_at, c.last_success_at,
         c.failing_since, c.created_at, c.updated_at, c.failures_in_row, c.breaker_open_until AS open_until,
         coalesce(c.breaker_open_until > now(), false) AS is_open, ${counted('pending')} AS pending,
         ${counted('failed')} AS failed, CASE WHEN c.lease_expires_at > now() THEN c.lease_owner END AS delivered_by,
         coalesce(k.state IN ${LIVE_STATES}, false) AS is_live, last.failed_at, last.last_status AS failed_status,
         last.last_error AS failed_error, last.event_id AS failed_event
    FROM callback c LEFT JOIN connection k USING (connection_id) LEFT JOIN LATERAL (${LAST_FAILURE}) last ON true`

/** Most failing callbacks in one answer. */
const MOST_FAILING = 10_000

/** Callbacks with the state of their deliveries. */
@Injectable()
export class CallbackHealthStore {
  constructor(private readonly database: Database) {}

  /** Null when no callback is registered. */
  async find(on: Queryable, connectionId: string): Promise<CallbackHealth | null> {
    const { rows } = await on.query<CallbackHealth>({
      name: 'callback-view',
      text: `${HEALTH} WHERE c.connection_id = $1`,
      values: [connectionId],
    })
    return rows[0] ?? null
  }

  /** State of a connection's deliveries; nothing without a callback. */
  async counts(on: Queryable, connectionId: string): Promise<DeliveryCounts> {
    const { rows } = await on.query<DeliveryCounts>({
      name: 'callback-counts',
      text: `SELECT ${counted('pending')} AS pending, ${counted('failed')} AS failed, c.last_success_at
               FROM callback c WHERE c.connection_id = $1`,
      values: [connectionId],
    })
    return rows[0] ?? { pending: 0, failed: 0, last_success_at: null }
  }

  /** Callbacks in the order of their connections, one more than the page's limit. */
  async list({ state, isFailing }: CallbackFilter, { limit, after }: PageRequest): Promise<CallbackHealth[]> {
    const { rows } = await this.database.query<CallbackHealth>({
      name: 'callback-views',
      text: `${HEALTH} WHERE c.connection_id > $1 AND ($2::text IS NULL OR c.state = $2) AND (NOT $3::boolean OR ${FAILING})
              ORDER BY c.connection_id LIMIT $4`,
      values: [after ?? '', state, isFailing, limit + 1],
    })
    return rows
  }

  /** Connections whose callback fails. */
  async failing(): Promise<string[]> {
    const { rows } = await this.database.query<{ id: string }>({
      name: 'callbacks-failing',
      text: `SELECT c.connection_id AS id FROM callback c WHERE ${FAILING} ORDER BY c.connection_id LIMIT $1`,
      values: [MOST_FAILING],
    })
    return rows.map(({ id }) => id)
  }

  /** Facts of each connection that is known here, with or without a callback. */
  async facts(connectionIds: readonly string[]): Promise<CallbackFacts[]> {
    const { rows } = await this.database.query<CallbackFacts>({
      name: 'callback-facts',
      text: `SELECT k.connection_id, c.state AS callback_state, coalesce(s.unacknowledged, 0)::float8 AS unacknowledged,
                    ${counted('failed')} AS failed, coalesce(last.last_error, last.last_status::text) AS last_error
               FROM connection k LEFT JOIN callback c USING (connection_id) LEFT JOIN event_summary s USING (connection_id)
               LEFT JOIN LATERAL (${LAST_FAILURE}) last ON true
              WHERE k.connection_id = ANY (${bulkColumn(1, 'text')})`,
      values: [bulkValue(connectionIds)],
    })
    return rows
  }
}
