import type { MigrationInterface, QueryRunner } from 'typeorm'

const steps = [
  // Times of a waiting delivery's last failure and next attempt. A delivery that failed before its callback was
  // released (resumed, or registered again) may be attempted at once.
  `ALTER TABLE delivery ADD COLUMN failed_at timestamptz, ADD COLUMN retry_at timestamptz`,
  `ALTER TABLE callback ADD COLUMN released_at timestamptz NOT NULL DEFAULT '-infinity'`,
]

/** Each delivery has its own gap, which a replay of an earlier event leaves unchanged. */
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
