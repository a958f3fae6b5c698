import { Injectable } from '@nestjs/common'
import type { CallbackPayload } from '@connectivity/contracts/callbacks'
import { type Queryable, queryRows } from '@connectivity/database'

/** An event of the index as it was sent. */
export interface SentEvent {
  /** JSON text of the event. */
  text: string
  /** Payload of the last attempt; null before the first. */
  payload: CallbackPayload | null
  /** Times that the signatures of all attempts hold, Unix seconds. */
  times: number[]
}

const FIND = `
  SELECT e.body, last.payload,
         ARRAY(SELECT floor(extract(epoch FROM a.at))::float8 FROM delivery_attempt a
                WHERE a.connection_id = e.connection_id AND a.sequence = e.sequence)
    FROM event e
    LEFT JOIN LATERAL (
      SELECT a.payload FROM delivery_attempt a WHERE a.connection_id = e.connection_id AND a.sequence = e.sequence
       ORDER BY a.number DESC LIMIT 1) last ON true
   WHERE e.event_id = $2 AND e.connection_id = $1`

/** Reads events as they were sent. */
@Injectable()
export class SentEventStore {
  /** @returns null for an event that is not in the connection's index */
  async find(on: Queryable, connectionId: string, eventId: string): Promise<SentEvent | null> {
    const rows = await queryRows<[string, CallbackPayload | null, number[]]>(on, {
      name: 'sent-event',
      text: FIND,
      values: [connectionId, eventId],
    })
    const [row] = rows
    return row ? { text: row[0], payload: row[1], times: row[2] } : null
  }
}
