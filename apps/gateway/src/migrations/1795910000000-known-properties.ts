import type { MigrationInterface, QueryRunner } from 'typeorm'
import { knownPropertyTable } from '../properties/known-property.store.js'

/** The properties that the booking engine has named: those of connections with a catalog, the others as they are read. */
export class KnownProperties1795910000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(knownPropertyTable)
    await runner.query(
      `INSERT INTO known_property SELECT DISTINCT source_property_id FROM connection JOIN property USING (connection_id)`,
    )
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE known_property')
  }
}
