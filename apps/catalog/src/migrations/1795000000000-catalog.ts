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

/** The row exists from the first mention of the property, so that it can be locked; the snapshot may come later. */
const propertyTable = `
  CREATE TABLE property (
    property_id text PRIMARY KEY,
    snapshot text
  )`

const versionTable = `
  CREATE TABLE catalog_version (
    connection_id text PRIMARY KEY,
    catalog_version bigint NOT NULL DEFAULT 0,
    mapping_version bigint NOT NULL DEFAULT 0
  )`

/** Checked at the end of a transaction, so that two entities can swap their ids. */
const mappingTable = `
  CREATE TABLE mapping (
    connection_id text NOT NULL,
    entity_type text NOT NULL CHECK (entity_type IN ('property', 'room', 'rate_plan')),
    service_id text NOT NULL,
    external_id text NOT NULL,
    PRIMARY KEY (connection_id, entity_type, service_id),
    CONSTRAINT mapping_external_id UNIQUE (connection_id, entity_type, external_id) DEFERRABLE INITIALLY DEFERRED
  )`

/** Properties, the connections to them, and each connection's ids for their rooms and rate plans. */
export class Catalog1795000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const own = [propertyTable, connectionTable, versionTable, mappingTable]
    for (const statement of [...own, outboxTable, offsetFenceTable, deadLetterTable]) await runner.query(statement)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'DROP TABLE property, connection, catalog_version, mapping, outbox, consumed_offset, dead_letter',
    )
  }
}
