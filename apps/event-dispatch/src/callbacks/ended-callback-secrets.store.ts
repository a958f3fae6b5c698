import { Injectable } from '@nestjs/common'
import { Database } from '@connectivity/database'

/** Days for which an ended secret is kept, so that a diagnosis recognises its signatures. */
const REMEMBERED_DAYS = 90

/** Deletes callbacks' secrets that ended long ago. */
@Injectable()
export class EndedCallbackSecretsStore {
  constructor(private readonly database: Database) {}

  /** @returns number of secrets deleted; a callback that is being changed is skipped until the next run */
  async purge(): Promise<number> {
    const { rowCount } = await this.database.query(
      `UPDATE callback SET previous_secret = NULL, previous_secret_ends_at = NULL
        WHERE connection_id = ANY (ARRAY(
          SELECT connection_id FROM callback
           WHERE previous_secret_ends_at < now() - interval '${REMEMBERED_DAYS} days' FOR UPDATE SKIP LOCKED))`,
    )
    return rowCount ?? 0
  }
}
