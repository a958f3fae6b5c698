import { Injectable } from '@nestjs/common'
import type { CallbackPayload } from '@connectivity/contracts/callbacks'
import { bulkRows, bulkValue, Database, queryRows } from '@connectivity/database'
import type { DueDelivery } from './lane.store.js'
import type { Lease } from './lease.store.js'
import type { Verdict } from './verdict.js'
import { MOST_ATTEMPTS } from '../backlog/delivery-attempts.js'
import { firstWaiting } from '../backlog/first-waiting.store.js'
import { PATIENCE } from './retry-schedule.js'

/** An attempt that counts, with its verdict, time and target. */
export interface MadeAttempt extends Pick<DueDelivery, 'sequence' | 'attempts' | 'retriesFrom'> {
  verdict: Verdict
  /** Time that the signature holds, ms since the epoch. */
  at: number
  url: string
  payload: CallbackPayload
  durationMs: number
  /** Beginning of the answer's body. */
  excerpt: string | null
}

/** Result of the first delivery of a lane; `attempt` is null if the lane was found empty. */
export interface DeliveryResult {
  lease: Lease
  reservationId: string
  /** The lane's arrivals when its first delivery was read; if unchanged, nothing has been added to the lane since. */
  arrivals: string
  hasMore: boolean
  attempt: MadeAttempt | null
}

/** Health of a callback, as its attempts since the last write have shown it. */
export interface HealthChange {
  lease: Lease
  /** Revision of the callback whose attempts these were; another one's health is not changed. */
  revision: string
  hasSucceeded: boolean
  hasFailed: boolean
  /** The callback answered 410. */
  isGone: boolean
  failuresInRow: number
  breakerOpened: number
  /** From now, ms; null while the breaker is closed. */
  breakerOpenFor: number | null
}

const resultTypes = [
  ...['text', 'bigint', 'text', 'bigint', 'boolean'],
  ...['bigint', 'integer', 'integer', 'text', 'integer', 'text', 'float8'],
  ...['float8', 'text', 'text', 'integer', 'text'],
]
const healthTypes = ['text', 'bigint', 'bigint', 'boolean', 'boolean', 'boolean', 'integer', 'integer', 'float8']

/** SQL condition: the attempts suspend the callback. */
const ENDS = `(c.state = 'active' AND (gone OR failed AND NOT succeeded AND c.failing_since < now() - interval '${PATIENCE} ms'))`

/** SQL condition: not the attempted delivery, unless it still waits. A replay may have put an older one before it. */
const OTHER = 'lane_end.waits OR w.sequence IS DISTINCT FROM lane_end.sequence'

/**
 * Writes all results of all callbacks of this process in one statement. A result counts only if the callback still has
 * the same lease. A delivery that was replayed during its last attempt stays pending. A callback locked by another
 * transaction is skipped, and its results are written later. Every statement that raises a lane's arrivals locks the
 * lane, so a lane is deleted only if nothing was added after its last delivery was read. Every attempt is noted, and
 * counted once, even if a connection is lost after the commit and the results are written again. If the callback's URL
 * or payload has changed since an attempt began, the next attempt is due at once. An attempt at an earlier revision
 * does not change the callback's health: a 410 of the old URL does not suspend the new one.
 *
 * RETURNING and GROUP BY combine the results: rows of two WITH queries have no index, so a join would compare all
 * pairs, which at 500 results took four fifths of the time, with the lanes locked.
 */
const WRITE = `
  WITH result AS MATERIALIZED (SELECT * FROM ${bulkRows(resultTypes, 1)} AS result
    (connection_id, epoch, reservation_id, arrivals, has_more, sequence, attempts, retries_from, verdict, status, error,
     retry_gap, at, url, payload, duration_ms, excerpt)),
  health AS MATERIALIZED (SELECT * FROM ${bulkRows(healthTypes, 1 + resultTypes.length)} AS health
    (connection_id, epoch, revision, succeeded, failed, gone, failures_in_row, breaker_opened, open_for)),
  owned AS MATERIALIZED (
    SELECT c.connection_id, c.released_at, c.url, c.payload, c.revision FROM callback c
     WHERE (c.connection_id, c.lease_epoch) IN
           (SELECT connection_id, epoch FROM result UNION SELECT connection_id, epoch FROM health)
     ORDER BY c.connection_id FOR NO KEY UPDATE SKIP LOCKED),
  mine AS MATERIALIZED (
    SELECT result.*, owned.released_at,
           retry_gap * (result.url = owned.url AND result.payload = owned.payload)::integer AS gap
      FROM result JOIN owned USING (connection_id)),
  held AS MATERIALIZED (
    SELECT mine.*, NOT mine.has_more AND l.arrivals = mine.arrivals AS was_seen_whole
      FROM lane l JOIN mine USING (connection_id, reservation_id)
     ORDER BY l.connection_id, l.reservation_id FOR UPDATE OF l),
  done AS (
    UPDATE delivery d
       SET attempts = mine.attempts + 1, last_status = mine.status, last_error = mine.error,
           failed_at = CASE WHEN mine.verdict = 'delivered' THEN d.failed_at ELSE now() END,
           retry_at = now() + mine.gap * interval '1 ms',
           state = CASE WHEN mine.verdict = 'delivered' THEN 'delivered' WHEN d.state = 'superseded' THEN 'superseded'
                        WHEN mine.verdict = 'failed' AND d.retries_from = mine.retries_from THEN 'failed'
                        ELSE 'pending' END
      FROM mine
     WHERE d.connection_id = mine.connection_id AND d.sequence = mine.sequence AND d.state IN ('pending', 'superseded')
    RETURNING d.connection_id, d.reservation_id, d.state, d.sequence, d.attempts, mine.at, mine.url, mine.payload,
              mine.status, mine.error, mine.duration_ms, mine.excerpt),
  noted AS (
    INSERT INTO delivery_attempt
           (connection_id, sequence, number, at, url, payload, status, error, duration_ms, response_excerpt)
    SELECT connection_id, sequence, attempts, to_timestamp(at / 1000), url, payload, status, error, duration_ms, excerpt
      FROM done ON CONFLICT DO NOTHING),
  forgotten AS (
    DELETE FROM delivery_attempt a USING done
     WHERE done.attempts > ${MOST_ATTEMPTS} AND a.connection_id = done.connection_id AND a.sequence = done.sequence
       AND a.number <= done.attempts - ${MOST_ATTEMPTS}),
  lane_end AS MATERIALIZED (
    SELECT connection_id, reservation_id, max(sequence) AS sequence, max(verdict) AS verdict, max(gap) AS gap,
           max(released_at) AS released_at, max(state) IS NOT DISTINCT FROM 'pending' AS waits,
           bool_and(was_seen_whole) AND max(state) IS DISTINCT FROM 'pending' AS is_empty
      FROM (SELECT connection_id, reservation_id, sequence, verdict, gap, released_at, was_seen_whole, NULL AS state
              FROM held
             UNION ALL
            SELECT connection_id, reservation_id, NULL, NULL, NULL, NULL, NULL, state FROM done) parts
     GROUP BY connection_id, reservation_id HAVING count(was_seen_whole) > 0),
  removed AS (
    DELETE FROM lane l USING lane_end
     WHERE l.connection_id = lane_end.connection_id AND l.reservation_id = lane_end.reservation_id AND is_empty),
  moved AS (
    UPDATE lane l SET due_at = CASE WHEN waits AND verdict = 'gone' THEN '-infinity'
                                    WHEN waits AND first.sequence = lane_end.sequence
                                    THEN now() + coalesce(gap, 0) * interval '1 ms'
                                    ELSE coalesce(first.retry_at, now()) END
      FROM lane_end LEFT JOIN LATERAL (${firstWaiting('lane_end', 'lane_end', OTHER)}) first ON true
     WHERE l.connection_id = lane_end.connection_id AND l.reservation_id = lane_end.reservation_id AND NOT is_empty),
  judged AS (
    UPDATE callback c
       SET last_success_at = CASE WHEN succeeded THEN now() ELSE c.last_success_at END,
           failing_since = CASE WHEN succeeded THEN NULL WHEN failed THEN coalesce(c.failing_since, now())
                                ELSE c.failing_since END,
           failures_in_row = health.failures_in_row, breaker_opened = health.breaker_opened,
           breaker_open_until = now() + open_for * interval '1 ms',
           state = CASE WHEN ${ENDS} THEN 'suspended' ELSE c.state END,
           suspended_at = CASE WHEN ${ENDS} THEN now() ELSE c.suspended_at END
      FROM health JOIN owned USING (connection_id, revision)
     WHERE c.connection_id = health.connection_id
    RETURNING c.connection_id, c.state = 'suspended' AS ended)
  SELECT owned.connection_id, coalesce(judged.ended, false) FROM owned LEFT JOIN judged USING (connection_id)`

const resultColumns = (results: readonly DeliveryResult[]): string[] => [
  bulkValue(results.map(({ lease }) => lease.connectionId)),
  bulkValue(results.map(({ lease }) => lease.epoch)),
  bulkValue(results.map(({ reservationId }) => reservationId)),
  bulkValue(results.map(({ arrivals }) => arrivals)),
  bulkValue(results.map(({ hasMore }) => hasMore)),
  bulkValue(results.map(({ attempt }) => attempt && attempt.sequence)),
  bulkValue(results.map(({ attempt }) => attempt && attempt.attempts)),
  bulkValue(results.map(({ attempt }) => attempt && attempt.retriesFrom)),
  bulkValue(results.map(({ attempt }) => attempt && attempt.verdict.kind)),
  bulkValue(results.map(({ attempt }) => attempt && attempt.verdict.status)),
  bulkValue(results.map(({ attempt }) => attempt && attempt.verdict.error)),
  bulkValue(results.map(({ attempt }) => attempt && attempt.verdict.gap)),
  bulkValue(results.map(({ attempt }) => attempt && attempt.at)),
  bulkValue(results.map(({ attempt }) => attempt && attempt.url)),
  bulkValue(results.map(({ attempt }) => attempt && attempt.payload)),
  bulkValue(results.map(({ attempt }) => attempt && attempt.durationMs)),
  bulkValue(results.map(({ attempt }) => attempt && attempt.excerpt)),
]

const healthColumns = (healths: readonly HealthChange[]): string[] => [
  bulkValue(healths.map(({ lease }) => lease.connectionId)),
  bulkValue(healths.map(({ lease }) => lease.epoch)),
  bulkValue(healths.map(({ revision }) => revision)),
  bulkValue(healths.map(({ hasSucceeded }) => hasSucceeded)),
  bulkValue(healths.map(({ hasFailed }) => hasFailed)),
  bulkValue(healths.map(({ isGone }) => isGone)),
  bulkValue(healths.map(({ failuresInRow }) => failuresInRow)),
  bulkValue(healths.map(({ breakerOpened }) => breakerOpened)),
  bulkValue(healths.map(({ breakerOpenFor }) => breakerOpenFor)),
]

/** Writes the results of attempts. */
@Injectable()
export class DeliveryResultStore {
  constructor(private readonly database: Database) {}

  /** @returns the connections written, each with whether its callback has been suspended */
  async write(results: readonly DeliveryResult[], healths: readonly HealthChange[]): Promise<Map<string, boolean>> {
    const rows = await queryRows<[string, boolean]>(this.database, {
      name: 'deliveries-write',
      text: WRITE,
      values: [...resultColumns(results), ...healthColumns(healths)],
    })
    return new Map(rows)
  }
}
