import type { MigrationInterface, QueryRunner } from 'typeorm'

/** The reason why a message was parked. List it with the migrations of every service that publishes. */
export class OutboxParkedReason1795700000000 implements MigrationInterface {
  readonly name = 'OutboxParkedReason1795700000000'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE outbox ADD COLUMN parked_reason text')
    await runner.query('CREATE INDEX outbox_parked ON outbox (topic) WHERE parked_at IS NOT NULL')
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX outbox_parked')
    await runner.query('ALTER TABLE outbox DROP COLUMN parked_reason')
  }
}
