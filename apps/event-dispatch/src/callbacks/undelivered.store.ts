import { Injectable } from '@nestjs/common'
import type { UndeliveredState } from '@connectivity/contracts/event-index'
import type { ReservationEventType } from '@connectivity/contracts/reservation-events'
import { Database } from '@connectivity/database'
import type { PageRequest } from '@connectivity/service-kit/operators'

/** A delivery that has not arrived. */
export interface Undelivered {
  event_id: string
  connection_id: string
  reservation_id: string
  type: ReservationEventType
  sequence: number
  occurred_at: Date
  state: UndeliveredState
  attempts: number
  last_status: number | null
  last_error: string | null
  /** Last failed attempt; null when none has failed. */
  failed_at: Date | null
  /** Next attempt after a failed one; null when none is planned. */
  retry_at: Date | null
}

/** Which deliveries to list; null: any. */
export interface DeliveryFilter {
  connectionId: string | null
  state: UndeliveredState | null
  /** Only deliveries with a failed attempt. */
  isFailing: boolean
}

const LIST = `
  SELECT e.event_id, d.connection_id, d.reservation_id, e.type, d.sequence::float8 AS sequence,
         e.occurred_at, d.state, d.attempts, d.last_status, d.last_error, d.failed_at,
         CASE WHEN d.state = 'pending' THEN d.retry_at END AS retry_at
    FROM delivery d JOIN event e USING (connection_id, sequence)
   WHERE (d.state = 'failed' OR d.state = 'pending' AND (d.failed_at IS NOT NULL OR NOT $3::boolean))
     AND ($1::text IS NULL OR d.connection_id = $1) AND ($2::text IS NULL OR d.state = $2) AND e.event_id > $4
   ORDER BY e.event_id LIMIT $5`

/** Deliveries that have not arrived. */
@Injectable()
export class UndeliveredStore {
  constructor(private readonly database: Database) {}

  /** Deliveries, oldest event first, one more than the page's limit. */
  async list(
    { connectionId, state, isFailing }: DeliveryFilter,
    { limit, after }: PageRequest,
  ): Promise<Undelivered[]> {
    const values = [connectionId, state, isFailing, after ?? '', limit + 1]
    return (await this.database.query<Undelivered>({ name: 'undelivered', text: LIST, values })).rows
  }
}
