import type { MigrationInterface, QueryRunner } from 'typeorm'

const idempotencyTable = `
  CREATE TABLE idempotent_answer (
    application_id text NOT NULL,
    method text NOT NULL,
    path text NOT NULL,
    idempotency_key text NOT NULL,
    fingerprint text NOT NULL,
    status integer NOT NULL,
    headers text NOT NULL,
    body text NOT NULL,
    answered_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (application_id, method, path, idempotency_key)
  );
  CREATE INDEX idempotent_answer_age ON idempotent_answer (answered_at)`

/** Ends the projection into a closed connection; its rows are deleted after the retention time. */
const closing = [
  'ALTER TABLE feed_connection DROP CONSTRAINT feed_connection_state_check',
  `ALTER TABLE feed_connection
     ADD CHECK (state IN ('waiting', 'filling', 'live', 'closed')), ADD COLUMN closed_at timestamptz,
     ADD COLUMN last_lag_ms bigint`,
  `UPDATE feed_connection SET state = 'closed', closed_at = now() WHERE connection_state = 'closed'`,
  'ALTER TABLE feed_connection DROP COLUMN connection_state',
  'DROP INDEX feed_connection_stale',
  `CREATE INDEX feed_connection_stale ON feed_connection (connection_id)
    WHERE rendered_version < catalog_version AND state <> 'closed'`,
  `CREATE INDEX feed_connection_closed ON feed_connection (closed_at) WHERE state = 'closed' AND catalog IS NOT NULL`,
]

/** Reservations that operators want delivered again, in chunks that are stamped one by one. */
const redeliveryTable = `
  CREATE TABLE redelivery_chunk (
    redelivery_id text NOT NULL,
    chunk integer NOT NULL,
    connection_id text NOT NULL,
    reservation_ids text[] NOT NULL,
    PRIMARY KEY (redelivery_id, chunk)
  )`

/** Closed connections, operators' re-delivery with its idempotent answers, and each connection's last lag. */
export class ClosingAndRedelivery1795200000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...closing, redeliveryTable, idempotencyTable]) await runner.query(statement)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE redelivery_chunk, idempotent_answer')
    await runner.query(`DELETE FROM feed_connection WHERE state = 'closed'`)
    await runner.query('DROP INDEX feed_connection_closed, feed_connection_stale')
    await runner.query(`ALTER TABLE feed_connection DROP CONSTRAINT feed_connection_state_check`)
    await runner.query(`ALTER TABLE feed_connection
      ADD CHECK (state IN ('waiting', 'filling', 'live')), ADD COLUMN connection_state text,
      DROP COLUMN closed_at, DROP COLUMN last_lag_ms`)
    await runner.query(
      `CREATE INDEX feed_connection_stale ON feed_connection (connection_id) WHERE rendered_version < catalog_version`,
    )
  }
}
