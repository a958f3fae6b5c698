import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * Properties that the booking engine has named: first those of connections with a catalog; snapshots add the others.
 */
export class KnownProperties1795910000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE known_property (property_id text PRIMARY KEY)')
    await runner.query(
      `INSERT INTO known_property SELECT DISTINCT source_property_id FROM connection JOIN property USING (connection_id)`,
    )
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE known_property')
  }
}
