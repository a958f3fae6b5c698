import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * Makes the feed read the compacted topic of connections from its beginning once more, which fills their new columns.
 * Builds that do not know these columns read it too, without effect.
 */
export class KnownConnections1796200000001 implements MigrationInterface {
  static readonly compatibleSince = '0.1.0'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM consumed_offset WHERE topic = 'connectivity.connections.v1'`)
  }

  /** Nothing to undo: the filled values are dropped with their columns. */
  async down(): Promise<void> {}
}
