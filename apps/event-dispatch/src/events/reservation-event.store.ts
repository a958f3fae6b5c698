import { Injectable } from '@nestjs/common'
import { MAX_TIMELINE_ENTRIES } from '@connectivity/contracts/timeline'
import { Database } from '@connectivity/database'

/** An event of a reservation, an attempt to deliver it, or its acknowledgement. */
export interface EventMoment {
  kind: 'event' | 'attempt' | 'acknowledged'
  at: Date
  /** Stamp of the reservation; only for an event. */
  updated_at: Date | null
  /** Correlation id of the request that acknowledged it. */
  correlation_id: string | null
  event_id: string
  /** Answer to an attempt. */
  status: number | null
}

const FIND = `
  WITH found AS (
    SELECT sequence, event_id, received_at, occurred_at FROM event WHERE connection_id = $1 AND reservation_id = $2)
  SELECT 'event' AS kind, received_at AS at, occurred_at AS updated_at, NULL AS correlation_id, event_id,
         NULL::integer AS status FROM found
   UNION ALL
  SELECT 'attempt', a.at, NULL, NULL, event_id, a.status
    FROM found JOIN delivery_attempt a ON a.connection_id = $1 AND a.sequence = found.sequence
   UNION ALL
  SELECT 'acknowledged', k.at, NULL, k.correlation_id, event_id, NULL
    FROM found JOIN acknowledgement k ON k.connection_id = $1 AND k.sequence = found.sequence
   ORDER BY at DESC LIMIT ${MAX_TIMELINE_ENTRIES}`

/** History of a reservation's events. */
@Injectable()
export class ReservationEventStore {
  constructor(private readonly database: Database) {}

  /** The newest thousand entries, newest first. */
  async find(connectionId: string, reservationId: string): Promise<EventMoment[]> {
    const { rows } = await this.database.query<EventMoment>({
      name: 'reservation-events',
      text: FIND,
      values: [connectionId, reservationId],
    })
    return rows
  }
}
