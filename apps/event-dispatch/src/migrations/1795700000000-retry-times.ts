import type { MigrationInterface, QueryRunner } from 'typeorm'

const steps = [
  // When a waiting delivery last failed and when it may be attempted again. What failed before its callback was released
  // (resumed, or registered anew) may be attempted at once.
  `ALTER TABLE delivery ADD COLUMN failed_at timestamptz, ADD COLUMN retry_at timestamptz`,
  `ALTER TABLE callback ADD COLUMN released_at timestamptz NOT NULL DEFAULT '-infinity'`,
]

/** Each delivery's own gap, which a replay of an event before it leaves as it is. */
export class RetryTimes1795700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const step of steps) await runner.query(step)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE delivery DROP COLUMN failed_at, DROP COLUMN retry_at; ALTER TABLE callback DROP COLUMN released_at',
    )
  }
}
