import { Injectable } from '@nestjs/common'
import { Database, queryRows, type Transaction } from '@connectivity/database'
import { TIMEZONE } from './delivery-status.store.js'

/** A connection whose risk may have changed. Stamps in ms. */
export interface RiskCandidate {
  connectionId: string
  propertyId: string
  timezone: string
  /** False for a disabled or closed connection: nothing of it is at risk. */
  isOpen: boolean
  processedTo: number
  /** Rows at risk in the previous round. */
  atRisk: number
  /** Database clock. */
  clock: number
}

/** Reservations and connections at risk, by environment. */
export interface RiskCount {
  environment: string
  connections: number
  reservations: number
}

type CandidateRow = [string, string, string | null, boolean, string, number, string]

const IS_OPEN = `(c.state = 'live' AND c.connection_state NOT IN ('disabled', 'closed'))`

const CANDIDATES = `
  SELECT p.connection_id, c.property_id, ${TIMEZONE}, coalesce(${IS_OPEN}, false), p.processed_to, p.at_risk,
         floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
    FROM feed_progress p JOIN feed_connection c USING (connection_id)
   WHERE p.at_risk > 0
      OR (${IS_OPEN} AND c.last_stamp > p.processed_to AND EXISTS (
            SELECT FROM feed_row r WHERE r.connection_id = p.connection_id AND r.stamp > p.processed_to
               AND r.stamp < floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint - $1::bigint * 1000))`

/** Rounds of the check for reservations at risk, and their results. */
@Injectable()
export class RiskRoundStore {
  constructor(private readonly database: Database) {}

  /** Begins a round unless another process has begun one within the last `seconds`. */
  async begin(seconds: number): Promise<boolean> {
    const { rowCount } = await this.database.query({
      name: 'risk-round-begin',
      text: 'UPDATE risk_round SET begun_at = clock_timestamp() WHERE begun_at <= clock_timestamp() - make_interval(secs => $1)',
      values: [seconds],
    })
    return rowCount === 1
  }

  /** Connections with rows that wait for longer than `waitSeconds`, and those that were at risk before. */
  async candidates(waitSeconds: number): Promise<RiskCandidate[]> {
    const rows = await queryRows<CandidateRow>(this.database, { text: CANDIDATES, values: [waitSeconds] })
    return rows.map(([connectionId, propertyId, timezone, isOpen, processedTo, atRisk, clock]) => ({
      connectionId,
      propertyId,
      timezone: timezone ?? '',
      isOpen,
      processedTo: Number(processedTo),
      atRisk,
      clock: Number(clock),
    }))
  }

  /** @returns false if another process has changed the number in the meantime */
  async change(tx: Transaction, { connectionId, atRisk }: RiskCandidate, now: number): Promise<boolean> {
    const { rowCount } = await tx.query({
      name: 'risk-change',
      text: 'UPDATE feed_progress SET at_risk = $3 WHERE connection_id = $1 AND at_risk = $2',
      values: [connectionId, atRisk, now],
    })
    return rowCount === 1
  }

  /** Counts connections and reservations at risk, by environment; environments without any are absent. */
  async count(): Promise<RiskCount[]> {
    const { rows } = await this.database.query<RiskCount>(
      `SELECT c.environment, count(*)::integer AS connections, sum(p.at_risk)::integer AS reservations
         FROM feed_progress p JOIN feed_connection c USING (connection_id)
        WHERE p.at_risk > 0 AND c.environment IS NOT NULL GROUP BY c.environment`,
    )
    return rows
  }
}
