import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Finds the events of a reservation. On a big table create the index by hand before, with CONCURRENTLY. */
export class ReservationEvents1796300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE acknowledgement ADD COLUMN correlation_id text')
    await runner.query('CREATE INDEX IF NOT EXISTS event_reservation ON event (connection_id, reservation_id)')
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX event_reservation; ALTER TABLE acknowledgement DROP COLUMN correlation_id')
  }
}
