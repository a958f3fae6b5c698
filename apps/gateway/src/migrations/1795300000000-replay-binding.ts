import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * The Idempotency-Key with which a mutation's signature was first used. Rows live for minutes and are never updated.
 */
export class ReplayBinding1795300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE replay_binding (
      signature_hash bytea PRIMARY KEY,
      idempotency_key text NOT NULL,
      expires_at timestamptz(0) NOT NULL
    )`)
    await runner.query(`CREATE INDEX replay_binding_expiry ON replay_binding (expires_at)`)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE replay_binding`)
  }
}
