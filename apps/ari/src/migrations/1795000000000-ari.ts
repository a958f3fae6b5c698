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

const connectionTable = `
  CREATE TABLE connection (
    connection_id text PRIMARY KEY,
    application_id text NOT NULL,
    property_id text NOT NULL,
    external_property_id text NOT NULL,
    environment text NOT NULL,
    state text NOT NULL,
    version bigint NOT NULL
  );
  CREATE INDEX connection_property ON connection (property_id)`

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

const catalogTable = `
  CREATE TABLE catalog (
    connection_id text PRIMARY KEY,
    catalog_version bigint NOT NULL,
    catalog text NOT NULL
  )`

/** Connections and their catalogs, which writes are checked against. */
export class Ari1795000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const tables = [connectionTable, catalogTable, outboxTable, offsetFenceTable, deadLetterTable]
    for (const statement of tables) await runner.query(statement)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE connection, catalog, outbox, consumed_offset, dead_letter')
  }
}
