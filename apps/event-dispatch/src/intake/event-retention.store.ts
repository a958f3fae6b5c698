import { Inject, Injectable } from '@nestjs/common'
import { Database, queryRows } from '@connectivity/database'

/** Injection token: how long events are kept, days. */
export const RETENTION_DAYS = Symbol('retention days')

/** Most events per statement. */
const BATCH = 1_000

/**
 * Deletes the oldest events with all their data. Locks summaries before deliveries, as acknowledging does, and skips
 * locked deliveries until the next time. A lane is deleted with its last waiting delivery, unless it is locked: the
 * process that delivers there then removes it.
 */
const DROP = `
  WITH old AS MATERIALIZED (
    SELECT connection_id, sequence FROM event WHERE received_at < now() - $1 * interval '1 day'
     ORDER BY received_at LIMIT ${BATCH}),
  summary AS MATERIALIZED (
    SELECT connection_id FROM event_summary WHERE connection_id IN (SELECT connection_id FROM old)
     ORDER BY connection_id FOR NO KEY UPDATE),
  held AS MATERIALIZED (
    SELECT d.connection_id, d.sequence, d.reservation_id FROM old JOIN summary USING (connection_id) JOIN delivery d USING (connection_id, sequence)
     FOR UPDATE OF d SKIP LOCKED),
  dropped AS (
    DELETE FROM delivery d USING held
     WHERE d.connection_id = held.connection_id AND d.sequence = held.sequence
    RETURNING d.connection_id, d.sequence, d.unacknowledged),
  empty AS MATERIALIZED (
    SELECT l.connection_id, l.reservation_id, l.arrivals FROM lane l
     WHERE (l.connection_id, l.reservation_id) IN (SELECT connection_id, reservation_id FROM held)
       AND NOT EXISTS (
         SELECT FROM delivery d
          WHERE d.connection_id = l.connection_id AND d.reservation_id = l.reservation_id AND d.state = 'pending'
            AND (d.connection_id, d.sequence) NOT IN (SELECT connection_id, sequence FROM held))),
  left_behind AS MATERIALIZED (
    SELECT l.connection_id, l.reservation_id FROM lane l JOIN empty USING (connection_id, reservation_id, arrivals)
     ORDER BY l.connection_id, l.reservation_id FOR UPDATE OF l SKIP LOCKED),
  lanes AS (
    DELETE FROM lane l USING left_behind
     WHERE l.connection_id = left_behind.connection_id AND l.reservation_id = left_behind.reservation_id),
  attempts AS (
    DELETE FROM delivery_attempt a USING held WHERE a.connection_id = held.connection_id AND a.sequence = held.sequence),
  words AS (
    DELETE FROM acknowledgement a USING held WHERE a.connection_id = held.connection_id AND a.sequence = held.sequence),
  texts AS (
    DELETE FROM event e USING held WHERE e.connection_id = held.connection_id AND e.sequence = held.sequence),
  summed AS (
    UPDATE event_summary s
       SET dropped_sequence = greatest(s.dropped_sequence, gone.latest), unacknowledged = s.unacknowledged - gone.unacknowledged
      FROM (SELECT connection_id, max(sequence) AS latest, count(*) FILTER (WHERE unacknowledged) AS unacknowledged
              FROM dropped GROUP BY connection_id) gone
     WHERE s.connection_id = gone.connection_id)
  SELECT count(*)::integer FROM held`

/** Deletes expired events from the index. Several processes may run it at once. */
@Injectable()
export class EventRetentionStore {
  constructor(
    private readonly database: Database,
    @Inject(RETENTION_DAYS) private readonly days: number,
  ) {}

  /** @returns number of dropped events, at most a batch */
  async drop(): Promise<number> {
    const rows = await queryRows<[number]>(this.database, { name: 'events-drop', text: DROP, values: [this.days] })
    return rows[0]![0]
  }
}
