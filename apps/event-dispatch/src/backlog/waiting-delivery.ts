/** Connection states in which events are delivered; in all others they are held. */
export const LIVE_STATES = `('pilot', 'certification_pending', 'production')`

/** What waited for a callback that was deleted is ended before anything goes to its successor. */
export const isBeingEnded = (callback: string): string =>
  `EXISTS (SELECT FROM backlog_change b WHERE b.connection_id = ${callback}.connection_id AND b.kind = 'end')`

/**
 * SQL of the first delivery that waits in a lane, for LATERAL: its `sequence`, when it `failed_at` last, and `retry_at`,
 * null when it may be attempted at once, as may what failed before its callback was released.
 * Ordered by an expression, so that the planner does not go through all of a connection's deliveries by sequence.
 * @param lane alias of rows with `connection_id` and `reservation_id`
 * @param callback alias of its callback's row
 * @param condition on the delivery `w`
 */
export const firstWaiting = (lane: string, callback: string, condition = 'true'): string => `
  SELECT w.sequence, w.failed_at, CASE WHEN w.failed_at > ${callback}.released_at THEN w.retry_at END AS retry_at
    FROM delivery w
   WHERE w.connection_id = ${lane}.connection_id AND w.reservation_id = ${lane}.reservation_id AND w.state = 'pending'
     AND (${condition})
   ORDER BY w.sequence + 0 LIMIT 1`
