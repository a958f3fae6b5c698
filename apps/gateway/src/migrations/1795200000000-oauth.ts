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

const steps = [
  // A signing secret is sealed. A client secret is stored as SHA-256, as it never has to be read again.
  `ALTER TABLE credential_secret
    ALTER COLUMN key_encryption_key_id DROP NOT NULL,
    ALTER COLUMN wrapped_key DROP NOT NULL,
    ALTER COLUMN sealed_secret DROP NOT NULL,
    ADD COLUMN secret_hash bytea,
    ADD CONSTRAINT credential_secret_kind CHECK (
      CASE WHEN secret_hash IS NULL
        THEN num_nulls(key_encryption_key_id, wrapped_key, sealed_secret) = 0
        ELSE num_nulls(key_encryption_key_id, wrapped_key, sealed_secret) = 3 END)`,
  `CREATE TABLE access_token (
    token_hash bytea PRIMARY KEY,
    credential_id text NOT NULL REFERENCES credential,
    scopes text[] NOT NULL,
    expires_at timestamptz(3) NOT NULL
  )`,
  `CREATE INDEX access_token_credential ON access_token (credential_id)`,
  `CREATE INDEX access_token_expiry ON access_token (expires_at)`,
  // Answers to operators' changes that came with an Idempotency-Key; application_id is the operator here.
  idempotencyTable,
]

/** OAuth clients and their tokens; idempotence of operators' changes. */
export class OAuth1795200000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const step of steps) await runner.query(step)
  }

  async down(): Promise<void> {
    throw new Error('client secrets and tokens cannot be taken back; restore the database instead')
  }
}
