import { Injectable } from '@nestjs/common'
import type { AttemptError } from '@connectivity/contracts/callbacks'
import type { AcknowledgementOutcome, DeliveryState, EventFilter } from '@connectivity/contracts/event-index'
import { bulkColumn, bulkValue, Database, queryRows } from '@connectivity/database'
import { firstWaiting } from '../backlog/first-waiting.store.js'
import { LIVE_STATES } from '../backlog/live-states.js'
import type { EventSelection } from './event-cursor.service.js'

/** State shared by all events of a connection. */
export interface IndexHead {
  /** The highest sequence that retention has dropped, 0 if none. */
  droppedSequence: number
  /** Whether waiting deliveries are held: the callback is suspended or missing, or the connection is not live. */
  isHeld: boolean
  /** Waiting deliveries up to this sequence belong to a deleted callback and are being ended; 0 if none. */
  endedSequence: number
}

/** An event of the index, without its text. */
export interface EventEntry {
  sequence: number
  /** Length of its text. */
  bytes: number
  state: Exclude<DeliveryState, 'held'>
  attempts: number
  lastStatus: number | null
  lastError: AttemptError | null
  /** Time of its next attempt; null unless it is the first waiting event of its reservation. */
  dueAt: Date | null
  acknowledgement: { outcome: AcknowledgementOutcome; at: Date } | null
}

type Row = [
  ...[sequence: string, bytes: number, state: EventEntry['state'], attempts: number],
  ...[lastStatus: number | null, lastError: EventEntry['lastError'], dueAt: Date | null],
  ...[outcome: AcknowledgementOutcome | null, at: Date | null],
]

/** Each filter has its own database index. */
const conditions: Record<EventFilter, string> = {
  all: '',
  failed: `AND d.state = 'failed'`,
  unacknowledged: 'AND d.unacknowledged',
}

/** Events to read: those between two sequences, exclusive; null: no bound. */
export interface EventRange extends EventSelection {
  after: number
  before: number | null
}

const WAITS = `d.state = 'pending' AND d.sequence > $4`

/** SQL condition of each state partners see; `$4`: last sequence of a deleted callback, `$5`: deliveries are held. */
const states: Record<DeliveryState, string> = {
  pending: `AND ${WAITS} AND NOT $5::boolean`,
  held: `AND ${WAITS} AND $5::boolean`,
  not_configured: `AND (d.state = 'not_configured' OR d.state = 'pending' AND d.sequence <= $4)`,
  delivered: `AND d.state = 'delivered'`,
  failed: `AND d.state = 'failed'`,
  superseded: `AND d.state = 'superseded'`,
}

const pageOf = ({ filter, state, order }: EventSelection): string => `
  SELECT d.sequence, octet_length(e.body), d.state, d.attempts, d.last_status, d.last_error,
         CASE WHEN first.sequence = d.sequence AND isfinite(l.due_at) THEN greatest(l.due_at, c.breaker_open_until) END,
         a.outcome, a.at
    FROM (SELECT * FROM delivery d WHERE d.connection_id = $1 AND d.sequence > $2
             AND ($6::bigint IS NULL OR d.sequence < $6) AND ($4::bigint, $5::boolean) IS NOT NULL
             ${conditions[filter]} ${state === null ? '' : states[state]}
           ORDER BY d.sequence ${order} LIMIT $3) d
    JOIN event e USING (connection_id, sequence)
    LEFT JOIN callback c ON c.connection_id = d.connection_id
    LEFT JOIN LATERAL (${firstWaiting('d', 'c')}) first ON d.state = 'pending'
    LEFT JOIN lane l ON l.connection_id = d.connection_id AND l.reservation_id = d.reservation_id
    LEFT JOIN acknowledgement a ON a.connection_id = d.connection_id AND a.sequence = d.sequence
   ORDER BY d.sequence ${order}`

/** The event index. */
@Injectable()
export class EventIndexStore {
  constructor(private readonly database: Database) {}

  /** Reads the state of a connection's index. */
  async head(connectionId: string): Promise<IndexHead> {
    const rows = await queryRows<[string, boolean, string]>(this.database, {
      name: 'index-head',
      text: `SELECT coalesce((SELECT dropped_sequence FROM event_summary WHERE connection_id = $1), 0),
                    NOT EXISTS (SELECT FROM callback c JOIN connection k USING (connection_id)
                                 WHERE c.connection_id = $1 AND c.state = 'active' AND k.state IN ${LIVE_STATES}),
                    coalesce((SELECT max(last_sequence) FROM backlog_change WHERE connection_id = $1 AND kind = 'end'), 0)`,
      values: [connectionId],
    })
    const [droppedSequence, isHeld, endedSequence] = rows[0]!
    return { droppedSequence: Number(droppedSequence), isHeld, endedSequence: Number(endedSequence) }
  }

  /** Returns events of a range in its order. */
  async entries(
    connectionId: string,
    { after, before, ...selection }: EventRange,
    { endedSequence, isHeld }: IndexHead,
    limit: number,
  ): Promise<EventEntry[]> {
    const { filter, state, order } = selection
    const rows = await queryRows<Row>(this.database, {
      name: `index-page-${filter}-${state ?? 'any'}-${order}`,
      text: pageOf(selection),
      values: [connectionId, after, limit, endedSequence, isHeld, before],
    })
    return rows.map(([sequence, bytes, state, attempts, lastStatus, lastError, dueAt, outcome, at]) => ({
      sequence: Number(sequence),
      bytes,
      ...{ state, attempts, lastStatus, lastError, dueAt },
      acknowledgement: outcome && at && { outcome, at },
    }))
  }

  /** Returns the events' texts by sequence, without those that retention has dropped in between. */
  async bodies(connectionId: string, sequences: readonly number[]): Promise<Map<number, string>> {
    const rows = await queryRows<[string, string]>(this.database, {
      name: 'index-bodies',
      text: `SELECT sequence, body FROM event WHERE connection_id = $1 AND sequence = ANY (${bulkColumn(2, 'bigint')})`,
      values: [connectionId, bulkValue(sequences)],
    })
    return new Map(rows.map(([sequence, body]) => [Number(sequence), body]))
  }
}
