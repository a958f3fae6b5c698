import { Injectable } from '@nestjs/common'
import { bulkColumn, bulkValue, queryRows, type Transaction } from '@connectivity/database'
import { firstWaiting } from './first-waiting.store.js'
import { BACKLOG_CHANGED, DELIVERIES_DUE } from './backlog-signals.js'
import { PIECE } from './backlog-change.store.js'

const END = `
  UPDATE delivery d SET state = 'not_configured'
   WHERE connection_id = $1 AND sequence IN (
     SELECT sequence FROM delivery
      WHERE connection_id = $1 AND state = 'pending' AND ($2::bigint IS NULL OR sequence <= $2) LIMIT $3)
  RETURNING reservation_id`

/** Locks lanes in reservation order, as everywhere in this service. New deliveries of a lane wait for its lock. */
const LOCK_LANES = `
  SELECT reservation_id FROM lane
   WHERE connection_id = $1 AND reservation_id = ANY (${bulkColumn(2, 'text')}) ORDER BY reservation_id FOR UPDATE`

const DELETE_EMPTY_LANES = `
  DELETE FROM lane l
   WHERE l.connection_id = $1 AND l.reservation_id = ANY (${bulkColumn(2, 'text')})
     AND (SELECT d.sequence FROM delivery d
           WHERE d.connection_id = $1 AND d.reservation_id = l.reservation_id AND d.state = 'pending'
           ORDER BY d.sequence LIMIT 1) IS NULL`

/** Lanes are locked in the order of their reservations, as everywhere in this service. */
const RELEASE = `
  WITH late AS MATERIALIZED (
    SELECT l.reservation_id FROM lane l JOIN callback c USING (connection_id)
      LEFT JOIN LATERAL (${firstWaiting('l', 'c')}) first ON true
     WHERE l.connection_id = $1 AND l.due_at > now() AND (first.failed_at > c.released_at) IS NOT TRUE
     LIMIT $2),
  held AS MATERIALIZED (
    SELECT l.reservation_id FROM lane l
     WHERE l.connection_id = $1 AND l.reservation_id IN (SELECT reservation_id FROM late)
     ORDER BY l.reservation_id FOR UPDATE)
  UPDATE lane l SET due_at = least(l.due_at, now()) FROM held
   WHERE l.connection_id = $1 AND l.reservation_id = held.reservation_id`

/**
 * Changes the waiting deliveries when their callback changes: one piece at once, the rest later piece by piece. The
 * callback's deliveries and acknowledgements, and events of others, never wait for the whole change. The caller must
 * have locked the callback's row.
 */
@Injectable()
export class WaitingDeliveriesStore {
  /**
   * Makes all waiting deliveries due now, in order per reservation: after a resume or a new registration. If the
   * callback was failing, its breaker is half open, so that one delivery goes ahead alone; the one that got a 410 is
   * first.
   */
  async release(tx: Transaction, connectionId: string): Promise<void> {
    await tx.query({
      name: 'waiting-release-callback',
      text: `UPDATE callback SET failing_since = NULL, failures_in_row = 0, breaker_opened = 0,
                    breaker_open_until = CASE WHEN failing_since IS NOT NULL OR breaker_open_until IS NOT NULL THEN now() END,
                    released_at = clock_timestamp(), revision = revision + 1
              WHERE connection_id = $1`,
      values: [connectionId],
    })
    if ((await this.releaseSome(tx, connectionId)) === PIECE) {
      await tx.query(`INSERT INTO backlog_change (connection_id, kind) VALUES ($1, 'release')`, [connectionId])
      tx.afterCommit(BACKLOG_CHANGED)
    }
    tx.afterCommit(DELIVERIES_DUE)
  }

  /** Makes lanes due that were waiting before the callback was released. @returns number of lanes, at most a piece */
  async releaseSome(tx: Transaction, connectionId: string): Promise<number> {
    const { rowCount } = await tx.query({ name: 'waiting-release', text: RELEASE, values: [connectionId, PIECE] })
    return rowCount!
  }

  /** Ends all waiting deliveries of a deleted callback; a later callback starts with later events. */
  async end(tx: Transaction, connectionId: string): Promise<void> {
    const isRest = (await this.endSome(tx, connectionId, null)) === PIECE
    // Events of a pending replay would become waiting deliveries after the end.
    const { rowCount } = await tx.query({
      name: 'waiting-end-rest',
      text: `INSERT INTO backlog_change (connection_id, kind, last_sequence)
             SELECT $1, 'end', coalesce((SELECT max(sequence) FROM delivery WHERE connection_id = $1), 0)
              WHERE $2 OR EXISTS (SELECT FROM backlog_change WHERE connection_id = $1)`,
      values: [connectionId, isRest],
    })
    if (rowCount! > 0) tx.afterCommit(BACKLOG_CHANGED)
  }

  /**
   * Ends waiting deliveries up to a sequence, or all if null, and deletes the lanes that become empty.
   * @returns number of deliveries, at most a piece
   */
  async endSome(tx: Transaction, connectionId: string, lastSequence: string | null): Promise<number> {
    const statement = { name: 'waiting-end-deliveries', text: END, values: [connectionId, lastSequence, PIECE] }
    const ended = await queryRows<[string]>(tx, statement)
    const values = [connectionId, bulkValue([...new Set(ended.map(([reservationId]) => reservationId))])]
    await tx.query({ name: 'waiting-end-lock', text: LOCK_LANES, values })
    // A separate statement, so that its snapshot is taken after the lanes are locked.
    await tx.query({ name: 'waiting-end-lanes', text: DELETE_EMPTY_LANES, values })
    return ended.length
  }
}
