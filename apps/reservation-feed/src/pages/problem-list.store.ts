import { Injectable } from '@nestjs/common'
import type { ReservationProblem } from '@connectivity/contracts/reservation'
import { Database, queryRows } from '@connectivity/database'
import type { PageRequest } from '@connectivity/service-kit/operators'

/** Problem rows of a feed: bookings that cannot be shown to its partner. */
@Injectable()
export class ProblemListStore {
  constructor(private readonly database: Database) {}

  async isKnown(connectionId: string): Promise<boolean> {
    const rows = await queryRows<[number]>(this.database, {
      text: 'SELECT 1 FROM feed_connection WHERE connection_id = $1',
      values: [connectionId],
    })
    return rows.length > 0
  }

  /** Newest first, one more than the page's limit. */
  async list(connectionId: string, { limit, after }: PageRequest): Promise<ReservationProblem[]> {
    const rows = await queryRows<[string]>(this.database, {
      text: `SELECT body FROM feed_row
              WHERE connection_id = $1 AND kind = 'problem' AND ($2::bigint IS NULL OR stamp < $2)
              ORDER BY stamp DESC LIMIT $3`,
      values: [connectionId, after, limit + 1],
    })
    return rows.map(([body]) => JSON.parse(body) as ReservationProblem)
  }
}
