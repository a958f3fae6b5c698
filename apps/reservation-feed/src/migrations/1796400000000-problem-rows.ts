import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Finds the problem rows of a connection, and the connections that have any. */
export class ProblemRows1796400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      "CREATE INDEX feed_row_problem ON feed_row (connection_id, reservation_id) WHERE kind = 'problem'",
    )
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX feed_row_problem')
  }
}
