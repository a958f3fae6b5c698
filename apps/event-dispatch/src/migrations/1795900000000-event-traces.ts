import type { MigrationInterface, QueryRunner } from 'typeorm'

/** The `traceparent` that an event came with, for its attempts; null when it came with none. */
export class EventTraces1795900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE event ADD COLUMN traceparent text')
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE event DROP COLUMN traceparent')
  }
}
