import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * Every attempt at a callback, kept as long as its event. `at` is the time that its signature holds; `payload` is what
 * was sent then.
 */
export class DeliveryAttempts1796100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE delivery_attempt (
      connection_id text NOT NULL,
      sequence bigint NOT NULL,
      number integer NOT NULL,
      at timestamptz(3) NOT NULL,
      url text NOT NULL,
      payload text NOT NULL CHECK (payload IN ('full', 'thin')),
      status integer,
      error text,
      duration_ms integer NOT NULL,
      response_excerpt text,
      PRIMARY KEY (connection_id, sequence, number)
    )`)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE delivery_attempt')
  }
}
