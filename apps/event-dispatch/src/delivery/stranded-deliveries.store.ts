import { Injectable } from '@nestjs/common'
import { Database } from '@connectivity/database/database'
import { queryRows } from '@connectivity/database/query-rows'

/** Read in one snapshot: who writes a waiting delivery writes its lane in the same transaction. */
const LOST = `
  SELECT d.connection_id, d.reservation_id, count(*) AS deliveries FROM delivery d
   WHERE d.state = 'pending'
     AND NOT EXISTS (SELECT FROM lane l WHERE l.connection_id = d.connection_id AND l.reservation_id = d.reservation_id)
   GROUP BY d.connection_id, d.reservation_id`

/** Waiting deliveries without a lane would wait for ever. There must be none. */
@Injectable()
export class StrandedDeliveriesStore {
  constructor(private readonly database: Database) {}

  /** Gives them their lane back. @returns how many deliveries there were */
  async rescue(): Promise<number> {
    const rows = await queryRows<[number]>(this.database.reads, {
      name: 'stranded-rescue',
      text: `WITH lost AS MATERIALIZED (${LOST}),
             mended AS (INSERT INTO lane (connection_id, reservation_id) SELECT connection_id, reservation_id FROM lost
                         ORDER BY connection_id, reservation_id ON CONFLICT DO NOTHING)
             SELECT coalesce(sum(deliveries), 0)::integer FROM lost`,
    })
    return rows[0]![0]
  }
}
