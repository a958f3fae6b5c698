import type { MigrationInterface, QueryRunner } from 'typeorm'

const added = [
  'ALTER TABLE feed_connection ADD COLUMN first_stamp bigint NOT NULL DEFAULT 0',
  `UPDATE feed_connection c SET first_stamp = coalesce((SELECT min(stamp) FROM feed_row r WHERE r.connection_id = c.connection_id), 0)`,
  'ALTER TABLE feed_row ADD COLUMN created_stamp bigint, ADD COLUMN change text',
]

/** Where each feed began, and the last change of each of its reservations: pilots are graded by these. */
export class PilotEvidence1795300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of added) await runner.query(statement)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE feed_row DROP COLUMN created_stamp, DROP COLUMN change')
    await runner.query('ALTER TABLE feed_connection DROP COLUMN first_stamp')
  }
}
