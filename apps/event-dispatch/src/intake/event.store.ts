import { Injectable } from '@nestjs/common'
import type { ReservationEventText } from '@connectivity/contracts/reservation-events'
import { bulkRows, bulkValue, type Transaction } from '@connectivity/database'
import { DELIVERIES_DUE } from '../backlog/backlog-signals.js'

/**
 * Locks callbacks, then summaries, then lanes, each in the order of their ids, as everywhere in this service.
 * A callback is locked only against its deletion, which would leave the new deliveries behind. The counts of `target`
 * and `summary` are never zero when there is an event to store: they make PostgreSQL lock those rows before the next
 * ones. Event types come from one object, because a join would compare each event with each callback.
 */
const RECORD = `
  WITH given AS (
    SELECT * FROM ${bulkRows(['text', 'bigint', 'text', 'text', 'text', 'timestamptz', 'text', 'text'])}
      AS given (connection_id, sequence, event_id, type, reservation_id, occurred_at, body, traceparent)),
  target AS MATERIALIZED (
    SELECT jsonb_object_agg(connection_id, to_jsonb(events)) AS events
      FROM (SELECT connection_id, events FROM callback
             WHERE connection_id IN (SELECT connection_id FROM given) ORDER BY connection_id FOR KEY SHARE) AS locked),
  added AS (
    INSERT INTO event (connection_id, sequence, event_id, type, reservation_id, occurred_at, body, traceparent)
    SELECT * FROM given
    ON CONFLICT DO NOTHING
    RETURNING connection_id, sequence, reservation_id, type),
  summary AS (
    INSERT INTO event_summary AS known (connection_id, unacknowledged)
    SELECT connection_id, count(*) FROM added WHERE (SELECT count(*) FROM target) > 0
     GROUP BY connection_id ORDER BY connection_id
    ON CONFLICT (connection_id) DO UPDATE SET unacknowledged = known.unacknowledged + excluded.unacknowledged
    RETURNING connection_id),
  filed AS (
    INSERT INTO delivery (connection_id, sequence, reservation_id, state)
    SELECT connection_id, sequence, reservation_id,
           CASE WHEN (SELECT events FROM target) -> connection_id ? type THEN 'pending' ELSE 'not_configured' END
      FROM added
    RETURNING connection_id, reservation_id, state)
  INSERT INTO lane (connection_id, reservation_id, arrivals)
  SELECT connection_id, reservation_id, count(*)
    FROM filed
   WHERE state = 'pending' AND (SELECT count(*) FROM summary) > 0
   GROUP BY connection_id, reservation_id ORDER BY connection_id, reservation_id
  ON CONFLICT (connection_id, reservation_id) DO UPDATE SET arrivals = lane.arrivals + excluded.arrivals`

/** An event and the trace of its delivery, if any. */
export type RecordedEvent = ReservationEventText & { traceparent?: string | null }

/** Events as received from the feed; `EventRetentionStore` drops old ones. */
@Injectable()
export class EventStore {
  /** Stores events; enqueues deliveries, or marks them not configured. An event already stored changes nothing. */
  record(tx: Transaction, events: readonly RecordedEvent[]): void {
    if (events.length === 0) return
    const statement = {
      name: 'events-record',
      text: RECORD,
      values: [
        bulkValue(events.map(({ connectionId }) => connectionId)),
        bulkValue(events.map(({ sequence }) => sequence)),
        bulkValue(events.map(({ eventId }) => eventId)),
        bulkValue(events.map(({ type }) => type)),
        bulkValue(events.map(({ reservationId }) => reservationId)),
        bulkValue(events.map(({ occurredAt }) => occurredAt)),
        bulkValue(events.map(({ body }) => body)),
        bulkValue(events.map(({ traceparent = null }) => traceparent)),
      ],
    }
    tx.defer(statement, { answered: ({ rowCount }) => rowCount! > 0 && tx.afterCommit(DELIVERIES_DUE) })
  }
}
