import { Injectable } from '@nestjs/common'
import { bulkRows, bulkValue, Database, queryRows } from '@connectivity/database'
import { IS_BEING_ENDED } from '../backlog/backlog-change.store.js'
import { LIVE_STATES } from '../backlog/live-states.js'
import type { Lease } from './lease.store.js'

/** Request of a worker for lanes of a callback it holds. */
export interface Claim {
  lease: Lease
  /** Most lanes wanted. */
  wanted: number
  /** Reservations whose lane the worker has in hand. */
  busy: Iterable<string>
}

/** A lane that is due, with its first delivery; the lane is empty when `delivery` is null. */
export interface DueLane {
  reservationId: string
  /** The lane's arrivals when it was read. */
  arrivals: string
  delivery: DueDelivery | null
}

/** A delivery that may be attempted now. */
export interface DueDelivery {
  sequence: string
  eventId: string
  type: string
  /** JSON text of the event; null if it is large and must be read separately. */
  body: string | null
  /** Attempts made so far; `retriesFrom` counts those before the current round of retries. */
  attempts: number
  retriesFrom: number
  /** Whether more deliveries of the lane wait after it. */
  hasMore: boolean
  /** When the event was recorded, ms on this process's monotonic clock. */
  recordedAt: number
  /** Trace of the delivery; null if none. */
  traceparent: string | null
}

/** State and due lanes of a callback that the worker holds. */
export interface ClaimedCallback {
  /** False while it is suspended or its connection is not live. */
  isOpen: boolean
  revision: string
  lanes: DueLane[]
}

/** Largest body read with its lane, bytes. Larger ones are read when sent, because a process keeps many lanes. */
const LARGE_BODY = 64 * 1024

/** Uses sequences in expressions, for the reason given at `firstWaiting`. */
const CLAIM = `
  WITH mine AS MATERIALIZED (
    SELECT * FROM ${bulkRows(['text', 'bigint', 'integer'], 1)} AS mine (connection_id, epoch, wanted)),
  busy AS MATERIALIZED (SELECT * FROM ${bulkRows(['text', 'text'], 4)} AS busy (connection_id, reservation_id))
  SELECT mine.connection_id, open.is_open, c.revision, due.reservation_id, due.arrivals, head.sequence, e.event_id, e.type,
         CASE WHEN octet_length(e.body) <= ${LARGE_BODY} THEN e.body END, head.attempts, head.retries_from,
         EXISTS (SELECT FROM delivery d WHERE d.connection_id = mine.connection_id AND d.reservation_id = due.reservation_id
                    AND d.state = 'pending' AND d.sequence + 0 > head.sequence),
         extract(epoch FROM clock_timestamp() - e.received_at)::float8 * 1000, e.traceparent
    FROM mine
    JOIN callback c ON c.connection_id = mine.connection_id AND c.lease_epoch = mine.epoch
    LEFT JOIN connection k ON k.connection_id = mine.connection_id
    CROSS JOIN LATERAL (
      SELECT c.state = 'active' AND coalesce(k.state IN ${LIVE_STATES}, false) AND NOT ${IS_BEING_ENDED} AS is_open) open
    LEFT JOIN LATERAL (
      SELECT l.reservation_id, l.arrivals FROM lane l
       WHERE open.is_open AND l.connection_id = mine.connection_id AND l.due_at <= now()
         AND (l.connection_id, l.reservation_id) NOT IN (SELECT * FROM busy)
       ORDER BY l.due_at LIMIT mine.wanted) due ON true
    LEFT JOIN LATERAL (
      SELECT d.sequence, d.attempts, d.retries_from FROM delivery d
       WHERE d.connection_id = mine.connection_id AND d.reservation_id = due.reservation_id AND d.state = 'pending'
       ORDER BY d.sequence + 0 LIMIT 1) head ON true
    LEFT JOIN event e ON e.connection_id = mine.connection_id AND e.sequence = head.sequence`

type Row = [
  ...[connectionId: string, isOpen: boolean, revision: string, reservationId: string | null, arrivals: string],
  ...[sequence: string | null, eventId: string, type: string, body: string | null],
  ...[attempts: number, retriesFrom: number, hasMore: boolean, age: number, traceparent: string | null],
]

/** The lanes of the callbacks that this process holds. */
@Injectable()
export class LaneStore {
  constructor(private readonly database: Database) {}

  /** @returns by connection, one entry for each claim whose lease is still held */
  async claim(claims: readonly Claim[]): Promise<Map<string, ClaimedCallback>> {
    const busy = claims.flatMap(({ lease, busy }) => [...busy].map((id) => [lease.connectionId, id] as const))
    const rows = await queryRows<Row>(this.database, {
      name: 'lanes-claim',
      text: CLAIM,
      values: [
        bulkValue(claims.map(({ lease }) => lease.connectionId)),
        bulkValue(claims.map(({ lease }) => lease.epoch)),
        bulkValue(claims.map(({ wanted }) => wanted)),
        bulkValue(busy.map(([connectionId]) => connectionId)),
        bulkValue(busy.map(([, reservationId]) => reservationId)),
      ],
    })
    const claimed = new Map<string, ClaimedCallback>()
    for (const row of rows) {
      const [connectionId, isOpen, revision] = row
      const callback = claimed.get(connectionId) ?? { isOpen, revision, lanes: [] }
      claimed.set(connectionId, callback)
      callback.lanes.push(...laneOf(row))
    }
    return claimed
  }

  /** The text of one event. */
  async body(connectionId: string, sequence: string): Promise<string> {
    const rows = await queryRows<[string]>(this.database, {
      name: 'lanes-body',
      text: 'SELECT body FROM event WHERE connection_id = $1 AND sequence = $2',
      values: [connectionId, sequence],
    })
    return rows[0]![0]
  }
}

function laneOf([, , , reservationId, arrivals, sequence, eventId, type, body, ...rest]: Row): DueLane[] {
  if (reservationId === null) return []
  if (sequence === null) return [{ reservationId, arrivals, delivery: null }]
  const [attempts, retriesFrom, hasMore, age, traceparent] = rest
  const recordedAt = performance.now() - age
  return [
    {
      reservationId,
      arrivals,
      delivery: { sequence, eventId, type, body, attempts, retriesFrom, hasMore, recordedAt, traceparent },
    },
  ]
}
