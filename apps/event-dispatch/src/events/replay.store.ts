import { Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import { announceOnCommit, type Transaction } from '@connectivity/database/database'
import { DELIVERIES_DUE } from '../deliveries/waiting-deliveries.store.js'
import { firstWaiting } from '../deliveries/waiting-delivery.js'

/** Which events are to be delivered again. */
export type ReplaySelection = { eventIds: readonly string[] } | { from: number; to: number }

/** An event that waits for its next attempt in front of those that are replayed keeps its gap. */
const BEFORE = 'w.sequence < lane.first AND w.sequence NOT IN (SELECT sequence FROM again)'

const replayOf = (selected: string): string => `
  WITH again AS (
    UPDATE delivery d SET state = 'pending', retries_from = d.attempts, failed_at = NULL, retry_at = NULL
      FROM event e JOIN callback c USING (connection_id)
     WHERE e.connection_id = $1 AND e.type = ANY (c.events) AND ${selected}
       AND d.connection_id = e.connection_id AND d.sequence = e.sequence
    RETURNING d.connection_id, d.reservation_id, d.sequence),
  lanes AS (
    INSERT INTO lane (connection_id, reservation_id, arrivals, due_at)
    SELECT lane.connection_id, lane.reservation_id, lane.arrivals, coalesce(head.retry_at, now())
      FROM (SELECT connection_id, reservation_id, count(*) AS arrivals, min(sequence) AS first
              FROM again GROUP BY connection_id, reservation_id) lane
      JOIN callback c USING (connection_id)
      LEFT JOIN LATERAL (${firstWaiting('lane', 'c', BEFORE)}) head ON true
     ORDER BY lane.reservation_id
    ON CONFLICT (connection_id, reservation_id) DO UPDATE
      SET arrivals = lane.arrivals + excluded.arrivals, due_at = least(lane.due_at, excluded.due_at))
  SELECT count(*)::integer AS events FROM again`

const BY_ID = replayOf('e.event_id IN (SELECT json_array_elements_text($2))')
const BY_RANGE = replayOf('e.sequence BETWEEN $2 AND $3')

/** Puts events on their way once more. */
@Injectable()
export class ReplayStore {
  /**
   * Whatever had become of the events, they wait for their delivery again, with a new round of retries; those of a type
   * that the callback does not take stay as they are.
   * @returns how many
   * @throws ServiceError 404 when the connection has no callback
   */
  async replay(tx: Transaction, connectionId: string, selection: ReplaySelection): Promise<number> {
    const { rowCount } = await tx.query({
      name: 'replay-callback',
      text: 'SELECT FROM callback WHERE connection_id = $1 FOR NO KEY UPDATE',
      values: [connectionId],
    })
    if (rowCount === 0) {
      const hint = 'This property has no callback; register one with PUT /properties/{id}/callback first.'
      throw new ServiceError('not_found', hint)
    }
    const { rows } = await tx.query<{ events: number }>(statementFor(connectionId, selection))
    announceOnCommit(tx, DELIVERIES_DUE)
    return rows[0]!.events
  }
}

function statementFor(connectionId: string, selection: ReplaySelection) {
  return 'eventIds' in selection
    ? { name: 'replay-by-id', text: BY_ID, values: [connectionId, JSON.stringify(selection.eventIds)] }
    : { name: 'replay-by-range', text: BY_RANGE, values: [connectionId, selection.from, selection.to] }
}
