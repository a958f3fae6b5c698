import { Injectable } from '@nestjs/common'
import type { CallbackState } from '@connectivity/contracts/callbacks'
import type { ConnectionFacts } from '@connectivity/contracts/operators-api'
import { bulkColumn, bulkValue } from '@connectivity/database/bulk'
import { Database } from '@connectivity/database/database'
import type { Queryable } from '@connectivity/database/transaction'
import { LIVE_STATES } from '../backlog/waiting-delivery.store.js'

/** A callback as operators see it, without its secrets. */
export interface CallbackView {
  property_id: string
  url: string
  events: string[]
  payload: string
  state: CallbackState
  suspended_at: Date | null
  /** Waiting deliveries; `held` counts those held because the callback is suspended or the connection is not live. */
  pending: number
  held: number
  failed: number
  last_success_at: Date | null
  failing_since: Date | null
  breaker: { state: 'closed' | 'open' | 'half_open'; open_until: Date | null; failures_in_row: number }
  /** The process that holds the lease now. */
  delivered_by: string | null
  created_at: Date
  updated_at: Date
}

type Row = Omit<CallbackView, 'held' | 'breaker'> & {
  is_live: boolean
  open_until: Date | null
  is_open: boolean
  failures_in_row: number
}

const counted = (state: string): string =>
  `(SELECT count(*)::integer FROM delivery d WHERE d.connection_id = c.connection_id AND d.state = '${state}')`

const VIEW = `
  SELECT c.connection_id AS property_id, c.url, c.events, c.payload, c.state, c.suspended_at, c.last_success_at,
         c.failing_since, c.created_at, c.updated_at, c.failures_in_row, c.breaker_open_until AS open_until,
         coalesce(c.breaker_open_until > now(), false) AS is_open, ${counted('pending')} AS pending,
         ${counted('failed')} AS failed, CASE WHEN c.lease_expires_at > now() THEN c.lease_owner END AS delivered_by,
         coalesce(k.state IN ${LIVE_STATES}, false) AS is_live
    FROM callback c LEFT JOIN connection k USING (connection_id)
   WHERE c.connection_id = $1`

/** Callbacks as operators read them. */
@Injectable()
export class CallbackViewStore {
  constructor(private readonly database: Database) {}

  async find(on: Queryable, connectionId: string): Promise<CallbackView | null> {
    const { rows } = await on.query<Row>({ name: 'callback-view', text: VIEW, values: [connectionId] })
    return rows[0] ? viewOf(rows[0]) : null
  }

  /** Facts of each connection that is known here, with or without a callback. */
  async facts(connectionIds: readonly string[]): Promise<ConnectionFacts[]> {
    const { rows } = await this.database.query<ConnectionFacts>({
      name: 'callback-facts',
      text: `SELECT k.connection_id, c.state AS callback_state, coalesce(s.unacknowledged, 0)::float8 AS unacknowledged
               FROM connection k LEFT JOIN callback c USING (connection_id) LEFT JOIN event_summary s USING (connection_id)
              WHERE k.connection_id = ANY (${bulkColumn(1, 'text')})`,
      values: [bulkValue(connectionIds)],
    })
    return rows
  }
}

function viewOf({ is_live, is_open, open_until, failures_in_row, ...row }: Row): CallbackView {
  const isHeld = row.state !== 'active' || !is_live
  const closed = open_until === null ? 'closed' : 'half_open'
  return {
    ...row,
    held: isHeld ? row.pending : 0,
    breaker: { state: is_open ? 'open' : closed, open_until, failures_in_row },
  }
}
