/**
 * SQL of a lane's first waiting delivery, for LATERAL: its `sequence`, its last failure `failed_at`, and `retry_at`,
 * which is null if it may be attempted at once, for example because it failed before its callback was released.
 * Ordered by an expression, so that the planner does not scan all of a connection's deliveries by sequence.
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
