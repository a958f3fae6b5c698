import { connectionTable } from '@connectivity/connections/connection-table'
import { offsetFenceTable } from '@connectivity/database/offset-fence'
import { outboxTable } from '@connectivity/database/outbox'
import { deadLetterTable } from '@connectivity/kafka/dead-letters'
import type { MigrationInterface, QueryRunner } from 'typeorm'

/** The connections that events are sent for. */
export class EventDispatch1795000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const tables = [connectionTable, outboxTable, offsetFenceTable, deadLetterTable]
    for (const statement of tables) await runner.query(statement)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE connection, outbox, consumed_offset, dead_letter')
  }
}
