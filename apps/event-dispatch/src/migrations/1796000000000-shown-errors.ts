import type { MigrationInterface, QueryRunner } from 'typeorm'

/** What partners were shown of names that could not be resolved. Builds of 0.1.0 show either code. */
export class ShownErrors1796000000000 implements MigrationInterface {
  static readonly compatibleSince = '0.1.0'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`UPDATE delivery SET last_error = 'blocked_address' WHERE last_error = 'dns_error'`)
  }

  /** The difference is not known any more. */
  async down(): Promise<void> {}
}
