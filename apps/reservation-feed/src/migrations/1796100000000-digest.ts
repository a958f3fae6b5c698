import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Digests that were answered: a proof may equal one that has changed meanwhile. */
const digestAnswerTable = `
  CREATE TABLE digest_answer (
    connection_id text NOT NULL,
    checkpoint bigint NOT NULL,
    digest text NOT NULL,
    rows bigint NOT NULL,
    last_stamp bigint NOT NULL,
    answered_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (connection_id, checkpoint, digest)
  );
  CREATE INDEX digest_answer_age ON digest_answer (answered_at)`

/** For each connection the last proof that matched and the last that differed. */
const proofTable = `
  CREATE TABLE proof (
    connection_id text NOT NULL,
    result text NOT NULL CHECK (result IN ('match', 'differ')),
    checkpoint bigint NOT NULL,
    rows bigint NOT NULL,
    digest text NOT NULL,
    found_at timestamptz NOT NULL,
    PRIMARY KEY (connection_id, result)
  )`

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

/** Digests of feeds and partners' proofs. */
export class Digest1796100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [digestAnswerTable, proofTable, idempotentClaimTable]) await runner.query(statement)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE digest_answer, proof, idempotent_claim')
  }
}
