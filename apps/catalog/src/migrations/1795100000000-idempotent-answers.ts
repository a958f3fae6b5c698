import { idempotencyTable } from '@connectivity/database/idempotency'
import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Answers to mapping writes, kept for their repetition. */
export class IdempotentAnswers1795100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(idempotencyTable)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE idempotent_answer')
  }
}
