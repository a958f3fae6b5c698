import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * Fills the new columns of the connections. Their states come from the compacted topic, which is read from its beginning
 * once more: builds that do not know the columns read it too, and change nothing by it.
 */
export class KnownConnections1796200000001 implements MigrationInterface {
  static readonly compatibleSince = '0.1.0'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `UPDATE feed_connection SET timezone = catalog::json ->> 'timezone' WHERE catalog IS NOT NULL AND timezone IS NULL`,
    )
    await runner.query(`DELETE FROM consumed_offset WHERE topic = 'connectivity.connections.v1'`)
  }

  /** What was filled in goes with its columns. */
  async down(): Promise<void> {}
}
