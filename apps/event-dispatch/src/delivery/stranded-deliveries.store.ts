import { Injectable } from '@nestjs/common'
import { Database, queryRows } from '@connectivity/database'

/** A reservation of a connection; a check goes through all with waiting deliveries in this order. */
export interface Place {
  connectionId: string
  reservationId: string
}

/** Waiting deliveries looked at by one statement, some 30 ms. */
const AT_ONCE = 5_000

/** Waiting deliveries without a lane, from one snapshot: both are always written in the same transaction. */
const RESCUE = `
  WITH seen AS MATERIALIZED (
    SELECT connection_id, reservation_id FROM delivery
     WHERE state = 'pending' AND (connection_id, reservation_id) > ($1, $2)
     ORDER BY connection_id, reservation_id LIMIT ${AT_ONCE}),
  lost AS MATERIALIZED (
    SELECT connection_id, reservation_id, count(*) AS deliveries FROM seen
     WHERE NOT EXISTS (
       SELECT FROM lane l WHERE l.connection_id = seen.connection_id AND l.reservation_id = seen.reservation_id)
     GROUP BY connection_id, reservation_id),
  restored AS (
    INSERT INTO lane (connection_id, reservation_id) SELECT connection_id, reservation_id FROM lost
     ORDER BY connection_id, reservation_id ON CONFLICT DO NOTHING)
  SELECT (SELECT coalesce(sum(deliveries), 0)::integer FROM lost), connection_id, reservation_id FROM seen
   ORDER BY connection_id DESC, reservation_id DESC LIMIT 1`

/** Finds waiting deliveries without a lane, which would wait forever. There should never be any. */
@Injectable()
export class StrandedDeliveriesStore {
  constructor(private readonly database: Database) {}

  /**
   * Restores the lanes of the next deliveries after a place.
   * @returns how many were stranded, and the last place seen; null after the last delivery
   */
  async rescue({ connectionId, reservationId }: Place): Promise<{ stranded: number; last: Place | null }> {
    const rows = await queryRows<[number, string, string]>(this.database, {
      name: 'stranded-rescue',
      text: RESCUE,
      values: [connectionId, reservationId],
    })
    if (rows.length === 0) return { stranded: 0, last: null }
    const [stranded, lastConnection, lastReservation] = rows[0]!
    return { stranded, last: { connectionId: lastConnection, reservationId: lastReservation } }
  }
}
