import type { MigrationInterface, QueryRunner } from 'typeorm'

const offsetFenceTable = `
  CREATE TABLE consumed_offset (
    consumer_group text NOT NULL,
    topic text NOT NULL,
    partition integer NOT NULL,
    next_offset bigint NOT NULL,
    PRIMARY KEY (consumer_group, topic, partition)
  )`

const outboxTable = `
  CREATE TABLE outbox (
    id bigserial PRIMARY KEY,
    topic text NOT NULL,
    key text,
    value text,
    headers text,
    dead_letter_id bigint,
    parked_at timestamptz
  ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000)`

const deadLetterTable = `
  CREATE TABLE dead_letter (
    id bigserial PRIMARY KEY,
    topic text NOT NULL,
    partition integer NOT NULL,
    message_offset bigint NOT NULL,
    key bytea,
    value bytea NOT NULL,
    reason text NOT NULL,
    state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'replayed', 'discarded')),
    attempts integer NOT NULL DEFAULT 1,
    received_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE UNIQUE INDEX dead_letter_message ON dead_letter (topic, partition, message_offset, md5(value))`

const tables = [
  `CREATE TABLE application (
    application_id text PRIMARY KEY,
    name text NOT NULL,
    contact_name text NOT NULL,
    contact_email text NOT NULL,
    state text NOT NULL CHECK (state IN ('pending', 'approved', 'suspended')),
    limits jsonb NOT NULL,
    created_at timestamptz(3) NOT NULL,
    approved_at timestamptz(3)
  )`,
  `CREATE TABLE connection (
    connection_id text PRIMARY KEY,
    application_id text NOT NULL REFERENCES application,
    source_property_id text NOT NULL,
    external_property_id text NOT NULL,
    environment text NOT NULL CHECK (environment IN ('sandbox', 'production')),
    state text NOT NULL,
    state_before_disabled text,
    public_reason text,
    disabled_at timestamptz(3),
    created_at timestamptz(3) NOT NULL,
    version integer NOT NULL
  )`,
  // A closed connection does not prevent a new one.
  `CREATE UNIQUE INDEX connection_unique ON connection (application_id, source_property_id, environment)
    WHERE state <> 'closed'`,
  `CREATE TABLE credential (
    credential_id text PRIMARY KEY,
    connection_id text NOT NULL REFERENCES connection,
    type text NOT NULL CHECK (type IN ('signing', 'oauth')),
    key_id text NOT NULL UNIQUE,
    scopes text[] NOT NULL,
    own_connection_only boolean NOT NULL,
    created_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3),
    revoked_at timestamptz(3)
  )`,
  `CREATE INDEX credential_connection ON credential (connection_id, credential_id)`,
  // A credential has two rows during a rotation.
  `CREATE TABLE credential_secret (
    credential_id text NOT NULL REFERENCES credential,
    created_at timestamptz(3) NOT NULL,
    key_encryption_key_id text NOT NULL,
    wrapped_key bytea NOT NULL,
    sealed_secret bytea NOT NULL,
    ends_at timestamptz(3),
    PRIMARY KEY (credential_id, created_at)
  )`,
  `CREATE TABLE credential_use (
    credential_id text PRIMARY KEY,
    last_used_at timestamptz(3) NOT NULL
  )`,
  `CREATE TABLE audit_entry (
    id text PRIMARY KEY,
    at timestamptz(3) NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    subject text NOT NULL,
    reason text NOT NULL,
    before jsonb,
    after jsonb,
    correlation_id text NOT NULL
  )`,
  `CREATE INDEX audit_entry_subject ON audit_entry (subject, id)`,
  `CREATE INDEX audit_entry_actor ON audit_entry (actor, id)`,
  `CREATE TABLE property (
    connection_id text PRIMARY KEY,
    catalog_version bigint NOT NULL,
    mapping_version bigint NOT NULL,
    external_property_id text NOT NULL,
    name text,
    timezone text,
    currency text,
    country text,
    rooms_mapped integer NOT NULL,
    rooms_total integer NOT NULL,
    rate_plans_mapped integer NOT NULL,
    rate_plans_total integer NOT NULL
  )`,
  `CREATE TABLE connection_activity (
    connection_id text PRIMARY KEY,
    last_polled_at timestamptz(3),
    last_change_at timestamptz(3)
  )`,
]

/** All tables of the gateway. */
export class Gateway1763700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of [...tables, outboxTable, offsetFenceTable, deadLetterTable]) await runner.query(table)
  }

  async down(): Promise<void> {
    throw new Error('the first migration is not taken back; drop the database instead')
  }
}
