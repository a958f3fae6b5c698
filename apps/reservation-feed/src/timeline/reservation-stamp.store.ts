import { Inject, Injectable } from '@nestjs/common'
import { MAX_TIMELINE_ENTRIES, type RecordedChange, type StampKind } from '@connectivity/contracts/timeline'
import { Database, maintainPartitions, queryRows } from '@connectivity/database'
import { FEED_CONFIG, type FeedConfig } from '../config.js'

/** Adds a row's current stamp if none is recorded: rows stamped before this table existed. */
const FIND = `
  SELECT stamp, kind, changes, (extract(epoch FROM recorded_at) * 1000)::bigint FROM reservation_stamp
   WHERE connection_id = $1 AND reservation_id = $2
   UNION ALL
  SELECT stamp, CASE r.kind WHEN 'problem' THEN 'problem' ELSE 'stamped' END, NULL, stamp FROM feed_row r
   WHERE connection_id = $1 AND reservation_id = $2
     AND NOT EXISTS (SELECT FROM reservation_stamp s WHERE s.connection_id = r.connection_id
                        AND s.reservation_id = r.reservation_id AND s.stamp = r.stamp)
   ORDER BY 1 DESC LIMIT ${MAX_TIMELINE_ENTRIES}`

type Row = [stamp: string, kind: StampKind, changes: string | null, recordedAt: string]

/** Earlier stamps of reservations. */
@Injectable()
export class ReservationStampStore {
  constructor(
    private readonly database: Database,
    @Inject(FEED_CONFIG) private readonly config: Pick<FeedConfig, 'TIMELINE_DAYS'>,
  ) {}

  /** The newest thousand stamps, oldest first; empty for a reservation that the feed never showed. */
  async find(connectionId: string, reservationId: string): Promise<RecordedChange[]> {
    const rows = await queryRows<Row>(this.database, {
      name: 'reservation-stamps',
      text: FIND,
      values: [connectionId, reservationId],
    })
    return rows.reverse().map(([stamp, kind, changes, recordedAt]) => ({
      stamp: Number(stamp),
      kind,
      changes: changes === null ? null : (JSON.parse(changes) as string[]),
      recorded_at: Number(recordedAt),
    }))
  }

  /** Adds upcoming weeks and drops expired ones. @returns number of weeks dropped */
  purge(): Promise<number> {
    return maintainPartitions(this.database, { table: 'reservation_stamp', days: this.config.TIMELINE_DAYS })
  }
}
