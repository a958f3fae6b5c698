import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Index to find secrets that ended long ago and delete them: signing secrets are kept for a while after their end. */
export class EndedSecrets1796000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX credential_secret_end ON credential_secret (ends_at) WHERE ends_at IS NOT NULL')
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX credential_secret_end')
  }
}
