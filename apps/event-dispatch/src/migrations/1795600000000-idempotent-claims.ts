import type { MigrationInterface, QueryRunner } from 'typeorm'

const idempotentClaimTable = `
  CREATE UNLOGGED TABLE idempotent_claim (
    application_id text NOT NULL,
    method text NOT NULL,
    path text NOT NULL,
    idempotency_key text NOT NULL,
    holder bigint NOT NULL,
    claim bigint NOT NULL UNIQUE,
    PRIMARY KEY (application_id, method, path, idempotency_key)
  )`

/** Idempotency keys whose callbacks are being challenged. */
export class IdempotentClaims1795600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(idempotentClaimTable)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE idempotent_claim')
  }
}
