import { Injectable } from '@nestjs/common'
import { bulkColumn, bulkRows, bulkText, bulkValue, queryRows, textOf, type Transaction } from '@connectivity/database'
import { firstWaiting } from '../backlog/first-waiting.store.js'
import { DELIVERIES_DUE } from '../backlog/backlog-signals.js'
import { type Acknowledgement, isFinal, type KnownEvent } from './acknowledgement.js'

/**
 * Stores acknowledgements. A final outcome supersedes a delivery that still waits. If that delivery was the first of
 * its lane, the lane continues. The gap before another delivery's next attempt, later or earlier, stays unchanged.
 */
const KEEP = `
  WITH given AS (SELECT * FROM ${bulkRows(['bigint', 'text', 'text', 'json', 'boolean'], 2)} AS given
    (sequence, outcome, partner_reservation_id, reason, final)),
  kept AS (
    INSERT INTO acknowledgement (connection_id, sequence, outcome, partner_reservation_id, reason, correlation_id)
    SELECT $1, sequence, outcome, partner_reservation_id, ${textOf('reason')}, $7 FROM given
    ON CONFLICT (connection_id, sequence) DO UPDATE
      SET outcome = excluded.outcome, partner_reservation_id = excluded.partner_reservation_id,
          reason = excluded.reason, correlation_id = excluded.correlation_id, at = now()),
  ended AS (
    UPDATE delivery d
       SET unacknowledged = false, state = CASE WHEN d.state = 'pending' THEN 'superseded' ELSE d.state END
      FROM given WHERE d.connection_id = $1 AND d.sequence = given.sequence AND given.final AND d.unacknowledged
    RETURNING d.reservation_id, d.sequence, d.state),
  overtaken AS MATERIALIZED (
    SELECT l.connection_id, l.reservation_id FROM lane l
     WHERE l.connection_id = $1 AND l.reservation_id IN (
       SELECT reservation_id FROM ended
        WHERE state = 'superseded' AND NOT EXISTS (
          SELECT FROM delivery d
           WHERE d.connection_id = $1 AND d.reservation_id = ended.reservation_id AND d.state = 'pending'
             AND d.sequence < ended.sequence AND d.sequence NOT IN (SELECT sequence FROM given WHERE final)))
     ORDER BY l.reservation_id FOR UPDATE),
  moved AS (
    UPDATE lane l SET due_at = CASE WHEN next.retry_at > now() THEN next.retry_at ELSE least(l.due_at, now()) END
      FROM overtaken JOIN callback c USING (connection_id)
      LEFT JOIN LATERAL (${firstWaiting('overtaken', 'c', 'w.sequence NOT IN (SELECT sequence FROM given WHERE final)')}) next ON true
     WHERE l.connection_id = $1 AND l.reservation_id = overtaken.reservation_id)
  UPDATE event_summary SET unacknowledged = unacknowledged - (SELECT count(*) FROM ended)
   WHERE connection_id = $1 RETURNING unacknowledged`

/** Partners' acknowledgements of their events. */
@Injectable()
export class AcknowledgementStore {
  /**
   * Locks the rows that acknowledging changes: the callback against delivery results, the summary against other calls.
   * @returns number of unacknowledged events of the connection
   */
  async lock(tx: Transaction, connectionId: string): Promise<number> {
    await tx.query({
      name: 'acknowledgements-lock-callback',
      text: 'SELECT FROM callback WHERE connection_id = $1 FOR NO KEY UPDATE',
      values: [connectionId],
    })
    const rows = await queryRows<[string]>(tx, {
      name: 'acknowledgements-lock-summary',
      text: 'SELECT unacknowledged FROM event_summary WHERE connection_id = $1 FOR UPDATE',
      values: [connectionId],
    })
    return Number(rows[0]?.[0] ?? 0)
  }

  /** Returns the connection's events with these ids, by id. */
  async find(tx: Transaction, connectionId: string, eventIds: readonly string[]): Promise<Map<string, KnownEvent>> {
    const { rows } = await tx.query<KnownEvent>({
      name: 'acknowledgements-find',
      text: `SELECT e.event_id AS "eventId", e.sequence, a.outcome
               FROM event e LEFT JOIN acknowledgement a USING (connection_id, sequence)
              WHERE e.event_id = ANY (${bulkColumn(2, 'text')}) AND e.connection_id = $1`,
      values: [connectionId, bulkValue(eventIds)],
    })
    return new Map(rows.map((event) => [event.eventId, event]))
  }

  /**
   * @param correlationId of the request
   * @returns number of unacknowledged events of the connection afterwards
   */
  async keep(
    tx: Transaction,
    connectionId: string,
    acknowledgements: readonly Acknowledgement[],
    correlationId: string,
  ): Promise<number> {
    const rows = await queryRows<[string]>(tx, {
      name: 'acknowledgements-keep',
      text: KEEP,
      values: [
        connectionId,
        bulkValue(acknowledgements.map(({ sequence }) => sequence)),
        bulkValue(acknowledgements.map(({ outcome }) => outcome)),
        bulkValue(acknowledgements.map(({ partnerReservationId }) => partnerReservationId)),
        bulkText(acknowledgements.map(({ reason }) => reason)),
        bulkValue(acknowledgements.map(({ outcome }) => isFinal(outcome))),
        correlationId,
      ],
    })
    tx.afterCommit(DELIVERIES_DUE)
    return Number(rows[0]![0])
  }
}
