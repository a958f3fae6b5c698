import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Replaces the stored error of names that could not be resolved. Builds of 0.1.0 show either code. */
export class ShownErrors1796000000000 implements MigrationInterface {
  static readonly compatibleSince = '0.1.0'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`UPDATE delivery SET last_error = 'blocked_address' WHERE last_error = 'dns_error'`)
  }

  /** Cannot be undone: the original code is lost. */
  async down(): Promise<void> {}
}
