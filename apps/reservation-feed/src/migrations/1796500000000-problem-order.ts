import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Reads the problem rows of a connection newest first. */
export class ProblemOrder1796500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX feed_row_problem;
      CREATE INDEX feed_row_problem ON feed_row (connection_id, stamp) WHERE kind = 'problem'`)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX feed_row_problem;
      CREATE INDEX feed_row_problem ON feed_row (connection_id, reservation_id) WHERE kind = 'problem'`)
  }
}
