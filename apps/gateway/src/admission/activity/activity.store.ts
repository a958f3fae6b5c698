import { Injectable } from '@nestjs/common'
import { bulkRows, bulkValue, Database } from '@connectivity/database'

const instants = (times: ReadonlyMap<string, number>): string =>
  bulkValue([...times.values()].map((time) => new Date(time).toISOString()))

/** Last polls of connections and last uses of credentials, written by several replicas: the latest time wins. */
@Injectable()
export class ActivityStore {
  constructor(private readonly database: Database) {}

  /** @param times connection id → milliseconds since the epoch */
  async recordPolls(times: ReadonlyMap<string, number>): Promise<void> {
    await this.database.query({
      name: 'record-polls',
      text: `INSERT INTO connection_activity AS known (connection_id, last_polled_at)
             SELECT * FROM ${bulkRows(['text', 'timestamptz'])} AS seen (id, at) ORDER BY id
             ON CONFLICT (connection_id) DO UPDATE
               SET last_polled_at = greatest(known.last_polled_at, excluded.last_polled_at)`,
      values: [bulkValue([...times.keys()]), instants(times)],
    })
  }

  /**
   * Connections in production whose partner polled in the last seven days, but not in the last 30 minutes. The alert
   * counts these; the overview's silent connections are also those in `pilot`, and it does not matter how long ago they
   * polled.
   */
  async countStoppedPolling(): Promise<number> {
    const { rows } = await this.database.query<{ stopped: number }>({
      name: 'count-stopped-polling',
      text: `SELECT count(*)::integer AS stopped FROM connection JOIN connection_activity USING (connection_id)
              WHERE state = 'production' AND last_polled_at < now() - interval '30 minutes'
                AND last_polled_at > now() - interval '7 days'`,
    })
    return rows[0]!.stopped
  }

  /** @param times credential id → milliseconds since the epoch */
  async recordUses(times: ReadonlyMap<string, number>): Promise<void> {
    await this.database.query({
      name: 'record-uses',
      text: `INSERT INTO credential_use AS known (credential_id, last_used_at)
             SELECT * FROM ${bulkRows(['text', 'timestamptz'])} AS seen (id, at) ORDER BY id
             ON CONFLICT (credential_id) DO UPDATE
               SET last_used_at = greatest(known.last_used_at, excluded.last_used_at)`,
      values: [bulkValue([...times.keys()]), instants(times)],
    })
  }

  /** @param times portal link id → milliseconds since the epoch */
  async recordSights(times: ReadonlyMap<string, number>): Promise<void> {
    await this.database.query({
      name: 'record-sights',
      // Locked in the order of their ids, as a suspension locks them: two writers never wait for each other.
      text: `WITH locked AS MATERIALIZED (
               SELECT portal_link_id, seen.at
                 FROM portal_link JOIN ${bulkRows(['text', 'timestamptz'])} AS seen (id, at) ON portal_link_id = seen.id
                ORDER BY portal_link_id FOR NO KEY UPDATE OF portal_link)
             UPDATE portal_link l SET session_last_seen_at = greatest(session_last_seen_at, locked.at)
               FROM locked WHERE l.portal_link_id = locked.portal_link_id`,
      values: [bulkValue([...times.keys()]), instants(times)],
    })
  }
}
