import { Inject, Injectable } from '@nestjs/common'
import { Database } from '@connectivity/database/database'
import { Purging } from '@connectivity/database/purging'
import { KAFKA_OPTIONS, type KafkaOptions } from './kafka-client.js'

const BATCH = 1_000

/**
 * Deletes dead letters some time after an operator replayed or discarded them, and open ones some time after they were
 * stored, because they may name guests. For letters settled by an older release, the time begins at the first purge. A
 * letter whose copy for `<topic>.dlq` is still in the outbox stays.
 */
@Injectable()
export class DeadLetterRetention {
  constructor(
    private readonly database: Database,
    purging: Purging,
    @Inject(KAFKA_OPTIONS) { deadLetterDays, openDeadLetterDays }: KafkaOptions,
  ) {
    if (deadLetterDays !== undefined) purging.add('settled dead letters', () => this.purge(deadLetterDays))
    if (openDeadLetterDays !== undefined) purging.add('open dead letters', () => this.purgeOpen(openDeadLetterDays))
  }

  /** @returns number of dead letters deleted, at most one batch */
  async purge(days: number): Promise<number> {
    await this.database.query(`UPDATE dead_letter SET settled_at = now() WHERE state <> 'open' AND settled_at IS NULL`)
    return this.delete(`state <> 'open' AND settled_at`, days)
  }

  /** @returns number of dead letters deleted, at most one batch */
  purgeOpen(days: number): Promise<number> {
    return this.delete(`state = 'open' AND received_at`, days)
  }

  /** @param since condition that ends with the column from which the days count */
  private async delete(since: string, days: number): Promise<number> {
    const { rowCount } = await this.database.query(
      `DELETE FROM dead_letter WHERE id = ANY (ARRAY(
         SELECT id FROM dead_letter
          WHERE ${since} < now() - $1 * interval '1 day'
            AND NOT EXISTS (SELECT FROM outbox WHERE dead_letter_id = dead_letter.id)
          LIMIT ${BATCH}))`,
      [days],
    )
    return rowCount ?? 0
  }
}
