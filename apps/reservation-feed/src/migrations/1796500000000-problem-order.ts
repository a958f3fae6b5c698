import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Reads a connection's problem rows newest first. On a big table create the index by hand before, CONCURRENTLY. */
export class ProblemOrder1796500000000 implements MigrationInterface {
  /** Earlier builds read the same rows without the old index. */
  static readonly compatibleSince = '0.1.0'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX IF NOT EXISTS feed_row_problem_order ON feed_row (connection_id, stamp) WHERE kind = 'problem';
      DROP INDEX feed_row_problem`)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX feed_row_problem ON feed_row (connection_id, reservation_id) WHERE kind = 'problem';
      DROP INDEX feed_row_problem_order`)
  }
}
