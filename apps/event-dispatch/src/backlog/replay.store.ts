import { Injectable } from '@nestjs/common'
import { bulkColumn, bulkValue, type Transaction } from '@connectivity/database'
import { firstWaiting } from './first-waiting.store.js'

/** SQL condition: an event ahead of the replayed ones, which keeps its gap until the next attempt. */
const BEFORE = 'w.sequence < lane.first AND w.sequence NOT IN (SELECT sequence FROM again)'

const REPLAY = `
  WITH again AS (
    UPDATE delivery d SET state = 'pending', retries_from = d.attempts, failed_at = NULL, retry_at = NULL
      FROM callback c
     WHERE c.connection_id = $1 AND d.connection_id = $1 AND d.sequence = ANY (${bulkColumn(2, 'bigint')})
    RETURNING d.connection_id, d.reservation_id, d.sequence)
  INSERT INTO lane (connection_id, reservation_id, arrivals, due_at)
  SELECT lane.connection_id, lane.reservation_id, lane.arrivals, coalesce(head.retry_at, now())
    FROM (SELECT connection_id, reservation_id, count(*) AS arrivals, min(sequence) AS first
            FROM again GROUP BY connection_id, reservation_id) lane
    JOIN callback c USING (connection_id)
    LEFT JOIN LATERAL (${firstWaiting('lane', 'c', BEFORE)}) head ON true
   ORDER BY lane.reservation_id
  ON CONFLICT (connection_id, reservation_id) DO UPDATE
    SET arrivals = lane.arrivals + excluded.arrivals, due_at = least(lane.due_at, excluded.due_at)`

/** Enqueues events again. */
@Injectable()
export class ReplayStore {
  /**
   * Prevents deletion of the connection's callback while its replay is recorded; deliveries continue.
   * @returns false without a callback
   */
  async hold(tx: Transaction, connectionId: string): Promise<boolean> {
    const { rowCount } = await tx.query({
      name: 'replay-callback',
      text: 'SELECT FROM callback WHERE connection_id = $1 FOR KEY SHARE',
      values: [connectionId],
    })
    return rowCount! > 0
  }

  /**
   * Sets events of any state back to pending, with a new round of retries. Does nothing if the callback was
   * deleted. The caller must have locked the callback.
   */
  async replay(tx: Transaction, connectionId: string, sequences: readonly string[]): Promise<void> {
    await tx.query({ name: 'replay', text: REPLAY, values: [connectionId, bulkValue(sequences)] })
  }
}
