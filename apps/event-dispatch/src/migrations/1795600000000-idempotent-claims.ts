import { idempotentClaimTable } from '@connectivity/database/prepared-mutation'
import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Idempotency keys whose callbacks are being asked. */
export class IdempotentClaims1795600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(idempotentClaimTable)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE idempotent_claim')
  }
}
