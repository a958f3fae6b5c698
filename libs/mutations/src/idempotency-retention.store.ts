import { Injectable } from '@nestjs/common'
import { Database } from '@connectivity/database'

const BATCH = 5_000

/** Deletes answers older than the 72 hours for which they are kept. */
@Injectable()
export class IdempotencyRetentionStore {
  constructor(private readonly database: Database) {}

  /** @returns number of answers deleted, at most one batch */
  async purge(): Promise<number> {
    const { rowCount } = await this.database.query(
      `DELETE FROM idempotent_answer WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM idempotent_answer WHERE answered_at < now() - interval '72 hours' LIMIT ${BATCH}))`,
    )
    return rowCount ?? 0
  }
}
