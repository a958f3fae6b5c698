import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * The index of the feeds' order also holds what a digest reads of a row. Builds without digests use it like the old
 * one: its columns are unique as before. On a big table create it by hand before, with CONCURRENTLY.
 */
export class FeedRowIndex1796100000001 implements MigrationInterface {
  static readonly compatibleSince = '0.1.0'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE UNIQUE INDEX IF NOT EXISTS feed_row_order ON feed_row (connection_id, stamp) INCLUDE (kind, reservation_id)',
    )
    await runner.query('DROP INDEX feed_row_place')
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE UNIQUE INDEX feed_row_place ON feed_row (connection_id, stamp)')
    await runner.query('DROP INDEX feed_row_order')
  }
}
