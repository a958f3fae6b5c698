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

/** Answers to mapping writes, kept for their repetition. */
export class IdempotentAnswers1795100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(idempotencyTable)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE idempotent_answer')
  }
}
