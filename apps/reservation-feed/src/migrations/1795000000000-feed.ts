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

const bookingTable = `
  CREATE TABLE booking (
    property_id text NOT NULL,
    reservation_id text NOT NULL,
    version bigint NOT NULL,
    confirmed boolean NOT NULL,
    source_offset bigint NOT NULL,
    snapshot text NOT NULL,
    kept text,
    PRIMARY KEY (property_id, reservation_id)
  )`

/** The head rows change with every write: room on the page keeps their updates off the indexes. */
const connectionTable = `
  CREATE TABLE feed_connection (
    connection_id text PRIMARY KEY,
    property_id text NOT NULL,
    external_property_id text NOT NULL,
    connection_state text,
    connection_version integer NOT NULL DEFAULT 0,
    catalog_version bigint NOT NULL DEFAULT 0,
    rendered_version bigint NOT NULL DEFAULT 0,
    catalog text,
    state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'filling', 'live')),
    fill_floor bigint NOT NULL DEFAULT 0,
    last_stamp bigint NOT NULL DEFAULT 0,
    last_sequence bigint NOT NULL DEFAULT 0
  ) WITH (fillfactor = 50)`

const rowTable = `
  CREATE TABLE feed_row (
    connection_id text NOT NULL,
    reservation_id text NOT NULL,
    stamp bigint NOT NULL,
    kind text NOT NULL CHECK (kind IN ('reservation', 'problem')),
    body text NOT NULL,
    last_served text,
    PRIMARY KEY (connection_id, reservation_id)
  )`

const indexes = [
  'CREATE INDEX feed_connection_property ON feed_connection (property_id)',
  'CREATE INDEX feed_connection_stale ON feed_connection (connection_id) WHERE rendered_version < catalog_version',
  'CREATE UNIQUE INDEX feed_row_place ON feed_row (connection_id, stamp)',
]

/** Current bookings, and for each connection the feed that its partner polls. */
export class Feed1795000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const tables = [bookingTable, connectionTable, rowTable, outboxTable, offsetFenceTable, deadLetterTable]
    for (const statement of [...tables, ...indexes]) await runner.query(statement)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE booking, feed_connection, feed_row, outbox, consumed_offset, dead_letter')
  }
}
