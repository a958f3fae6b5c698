import type { MigrationInterface, QueryRunner } from 'typeorm'

/** The `traceparent` of an event's message, for its attempts; null if it had none. */
export class EventTraces1795900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE event ADD COLUMN traceparent text')
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE event DROP COLUMN traceparent')
  }
}
