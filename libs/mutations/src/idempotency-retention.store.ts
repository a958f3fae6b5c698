import { Injectable } from '@nestjs/common'
import { Database, deleteBatch } from '@connectivity/database'

/** Deletes answers older than the 72 hours for which they are kept. */
@Injectable()
export class IdempotencyRetentionStore {
  constructor(private readonly database: Database) {}

  /** @returns number of answers deleted, at most one batch */
  purge(): Promise<number> {
    return deleteBatch(this.database, 'idempotent_answer', `answered_at < now() - interval '72 hours'`)
  }
}
