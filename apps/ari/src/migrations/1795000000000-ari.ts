import { connectionTable } from '@connectivity/connections/connection-table'
import { offsetFenceTable } from '@connectivity/database/offset-fence'
import { outboxTable } from '@connectivity/database/outbox'
import { deadLetterTable } from '@connectivity/kafka/dead-letters'
import type { MigrationInterface, QueryRunner } from 'typeorm'

const catalogTable = `
  CREATE TABLE catalog (
    connection_id text PRIMARY KEY,
    catalog_version bigint NOT NULL,
    catalog text NOT NULL
  )`

/** What writes are judged by: the connections and what each sees of its property. */
export class Ari1795000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const tables = [connectionTable, catalogTable, outboxTable, offsetFenceTable, deadLetterTable]
    for (const statement of tables) await runner.query(statement)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE connection, catalog, outbox, consumed_offset, dead_letter')
  }
}
