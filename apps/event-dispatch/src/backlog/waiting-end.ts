import type { Transaction } from '@connectivity/database/database'
import { queryRows } from '@connectivity/database/query-rows'

/** In the order of their reservations, as everywhere in this service; whatever comes into a lane waits for its lock. */
const LOCK_LANES = `
  SELECT reservation_id FROM lane
   WHERE connection_id = $1 AND reservation_id IN (SELECT json_array_elements_text($2)) ORDER BY reservation_id FOR UPDATE`

const DELETE_EMPTY = `
  DELETE FROM lane l
   WHERE l.connection_id = $1 AND l.reservation_id IN (SELECT json_array_elements_text($2))
     AND (SELECT d.sequence FROM delivery d
           WHERE d.connection_id = $1 AND d.reservation_id = l.reservation_id AND d.state = 'pending'
           ORDER BY d.sequence LIMIT 1) IS NULL`

/**
 * Ends deliveries that wait, up to a sequence or all, with the lanes that are empty then. Call it with the callback locked.
 * @param most of them
 * @returns how many
 */
export async function endDeliveries(
  tx: Transaction,
  connectionId: string,
  lastSequence: string | null,
  most: number,
): Promise<number> {
  const ended = await queryRows<[string]>(tx, {
    name: 'waiting-end-deliveries',
    text: `UPDATE delivery d SET state = 'not_configured'
            WHERE connection_id = $1 AND sequence IN (
              SELECT sequence FROM delivery
               WHERE connection_id = $1 AND state = 'pending' AND ($2::bigint IS NULL OR sequence <= $2) LIMIT $3)
           RETURNING reservation_id`,
    values: [connectionId, lastSequence, most],
  })
  const values = [connectionId, JSON.stringify([...new Set(ended.map(([reservationId]) => reservationId))])]
  await tx.query({ name: 'waiting-end-lock', text: LOCK_LANES, values })
  // A statement of its own, which sees what the locked lanes hold.
  await tx.query({ name: 'waiting-end-lanes', text: DELETE_EMPTY, values })
  return ended.length
}
