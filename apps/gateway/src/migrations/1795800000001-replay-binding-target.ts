import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Binds a mutation's signature to its request target too. Null: bound by a release that did not record the target. */
export class ReplayBindingTarget1795800000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE replay_binding ADD COLUMN target_hash bytea`)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE replay_binding DROP COLUMN target_hash`)
  }
}
