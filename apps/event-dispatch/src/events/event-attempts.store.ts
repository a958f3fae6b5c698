import { Injectable } from '@nestjs/common'
import { Database } from '@connectivity/database'
import { MOST_ATTEMPTS } from '../backlog/delivery-attempts.js'

/** An attempt to deliver an event. */
export interface AttemptRow {
  number: number
  at: Date
  url: string
  status: number | null
  error: string | null
  duration_ms: number
  response_excerpt: string | null
}

/**
 * The newest attempts of an event, in order: one row for each; a single one without a number for an event that was
 * never attempted.
 */
type Row = AttemptRow | { number: null }

/** Omits the error if there is a status: it adds nothing. */
const FIND = `
  SELECT a.number, a.at, a.url, a.status, CASE WHEN a.status IS NULL THEN a.error END AS error, a.duration_ms,
         a.response_excerpt
    FROM event e
    LEFT JOIN LATERAL (SELECT * FROM delivery_attempt
                        WHERE (connection_id, sequence) = (e.connection_id, e.sequence)
                        ORDER BY number DESC LIMIT ${MOST_ATTEMPTS}) a ON true
   WHERE e.event_id = $2 AND e.connection_id = $1
   ORDER BY a.number`

/** Attempts at callbacks. */
@Injectable()
export class EventAttemptsStore {
  constructor(private readonly database: Database) {}

  /** @returns null for an event that is not in the connection's index */
  async find(connectionId: string, eventId: string): Promise<AttemptRow[] | null> {
    const { rows } = await this.database.query<Row>({
      name: 'event-attempts',
      text: FIND,
      values: [connectionId, eventId],
    })
    if (rows.length === 0) return null
    return rows.filter((row) => row.number !== null)
  }
}
