import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Tokens name the secret they were obtained with, by its creation time. Null: from a release that did not note it. */
export class TokenSecrets1795800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE access_token ADD COLUMN secret_created_at timestamptz(3)`)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE access_token DROP COLUMN secret_created_at`)
  }
}
