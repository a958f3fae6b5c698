import { Injectable } from '@nestjs/common'
import { Database, queryRows } from '@connectivity/database'

/** Waiting deliveries without a lane, from one snapshot: both are always written in the same transaction. */
const LOST = `
  SELECT d.connection_id, d.reservation_id, count(*) AS deliveries FROM delivery d
   WHERE d.state = 'pending'
     AND NOT EXISTS (SELECT FROM lane l WHERE l.connection_id = d.connection_id AND l.reservation_id = d.reservation_id)
   GROUP BY d.connection_id, d.reservation_id`

/** Finds waiting deliveries without a lane, which would wait forever. There should never be any. */
@Injectable()
export class StrandedDeliveriesStore {
  constructor(private readonly database: Database) {}

  /** Restores their lanes. @returns number of stranded deliveries */
  async rescue(): Promise<number> {
    const rows = await queryRows<[number]>(this.database, {
      name: 'stranded-rescue',
      text: `WITH lost AS MATERIALIZED (${LOST}),
             mended AS (INSERT INTO lane (connection_id, reservation_id) SELECT connection_id, reservation_id FROM lost
                         ORDER BY connection_id, reservation_id ON CONFLICT DO NOTHING)
             SELECT coalesce(sum(deliveries), 0)::integer FROM lost`,
    })
    return rows[0]![0]
  }
}
