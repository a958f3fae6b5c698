import { Injectable } from '@nestjs/common'
import type { DeliveryAttempt } from '@connectivity/contracts/event-index'
import { Database } from '@connectivity/database/database'

/** One row for each attempt; a single one without a number for an event that was never attempted. */
type Row = Omit<DeliveryAttempt, 'number' | 'at'> & { number: number | null; at: Date }

/** With a status the error is left out: it adds nothing. */
const FIND = `
  SELECT a.number, a.at, a.url, a.status, CASE WHEN a.status IS NULL THEN a.error END AS error, a.duration_ms,
         a.response_excerpt
    FROM event e LEFT JOIN delivery_attempt a USING (connection_id, sequence)
   WHERE e.event_id = $2 AND e.connection_id = $1
   ORDER BY a.number`

/** Attempts at callbacks, as partners read them. */
@Injectable()
export class EventAttemptsStore {
  constructor(private readonly database: Database) {}

  /** @returns null for an event that is not in the connection's index */
  async find(connectionId: string, eventId: string): Promise<DeliveryAttempt[] | null> {
    const { rows } = await this.database.query<Row>({
      name: 'event-attempts',
      text: FIND,
      values: [connectionId, eventId],
    })
    if (rows.length === 0) return null
    return rows.flatMap(({ number, at, ...attempt }) =>
      number === null ? [] : [{ number, at: at.toISOString(), ...attempt }],
    )
  }
}
