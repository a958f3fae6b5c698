import { Injectable } from '@nestjs/common'
import { MAX_TIMELINE_ENTRIES, type TimelineEntry } from '@connectivity/contracts/timeline'
import { Database } from '@connectivity/database/database'

type Row = Pick<TimelineEntry, 'kind' | 'correlation_id' | 'event_id' | 'status'> & {
  at: Date
  updated_at: Date | null
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

/** What happened to the events of a reservation. */
@Injectable()
export class ReservationEventStore {
  constructor(private readonly database: Database) {}

  /** Newest first, at most a thousand. */
  async find(connectionId: string, reservationId: string): Promise<TimelineEntry[]> {
    const { rows } = await this.database.query<Row>({
      name: 'reservation-events',
      text: FIND,
      values: [connectionId, reservationId],
    })
    return rows.map(({ kind, at, updated_at, ...row }) => ({
      at: at.toISOString(),
      kind,
      updated_at: updated_at?.toISOString() ?? null,
      changes: null,
      ...row,
    }))
  }
}
