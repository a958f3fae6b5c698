import { Injectable } from '@nestjs/common'
import { Database, deleteBatch } from '@connectivity/database'

/**
 * Deletes dead letters some time after an operator replayed or discarded them, and open ones some time after they were
 * stored, because they may name guests. For letters settled by an older release, the time begins at the first purge. A
 * letter whose copy for `<topic>.dlq` is still in the outbox stays.
 */
@Injectable()
export class DeadLetterRetentionStore {
  constructor(private readonly database: Database) {}

  /**
   * @param days undefined keeps them for ever
   * @returns number of dead letters deleted, at most one batch
   */
  async purge(days: number | undefined): Promise<number> {
    if (days === undefined) return 0
    await this.database.query(`UPDATE dead_letter SET settled_at = now() WHERE state <> 'open' AND settled_at IS NULL`)
    return this.delete(`state <> 'open' AND settled_at`, days)
  }

  /** As `purge`, for open dead letters, and for copies that no broker has taken for as long. */
  async purgeOpen(days: number | undefined): Promise<number> {
    if (days === undefined) return 0
    const isParked = `dead_letter_id IS NOT NULL AND parked_at < now() - $1 * interval '1 day'`
    const copies = await deleteBatch(this.database, 'outbox', isParked, [days])
    return copies + (await this.delete(`state = 'open' AND received_at`, days))
  }

  /** @param since condition that ends with the column from which the days count */
  private delete(since: string, days: number): Promise<number> {
    const isOver = `${since} < now() - $1 * interval '1 day'`
    const isPublished = 'NOT EXISTS (SELECT FROM outbox WHERE dead_letter_id = dead_letter.id)'
    return deleteBatch(this.database, 'dead_letter', `${isOver} AND ${isPublished}`, [days])
  }
}
