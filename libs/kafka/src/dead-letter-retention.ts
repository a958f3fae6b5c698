import { Inject, Injectable } from '@nestjs/common'
import { Database } from '@connectivity/database/database'
import { Purging } from '@connectivity/database/purging'
import { KAFKA_OPTIONS, type KafkaOptions } from './kafka-client.js'

const BATCH = 1_000

/**
 * Deletes dead letters some time after an operator replayed or discarded them; open ones stay, and so do those whose
 * copy for `<topic>.dlq` is still in the outbox. What an older release settled meanwhile begins its time now.
 */
@Injectable()
export class DeadLetterRetention {
  constructor(
    private readonly database: Database,
    purging: Purging,
    @Inject(KAFKA_OPTIONS) { deadLetterDays }: KafkaOptions,
  ) {
    if (deadLetterDays !== undefined) purging.add('settled dead letters', () => this.purge(deadLetterDays))
  }

  /** @returns number of dead letters deleted, at most one batch */
  async purge(days: number): Promise<number> {
    await this.database.reads.query(
      `UPDATE dead_letter SET settled_at = now() WHERE state <> 'open' AND settled_at IS NULL`,
    )
    const { rowCount } = await this.database.reads.query(
      `DELETE FROM dead_letter WHERE id = ANY (ARRAY(
         SELECT id FROM dead_letter
          WHERE state <> 'open' AND settled_at < now() - $1 * interval '1 day'
            AND NOT EXISTS (SELECT FROM outbox WHERE dead_letter_id = dead_letter.id)
          LIMIT ${BATCH}))`,
      [days],
    )
    return rowCount ?? 0
  }
}
