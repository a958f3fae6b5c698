// Tables that the libraries expect in the databases of the services that use them, as their migrations first make them.

/** A service's own copy of the connections. */
export const connectionTable = `
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

/** Messages to publish to Kafka; the relay deletes a row once the broker has acknowledged it. */
export const outboxTable = `
  CREATE TABLE outbox (
    id bigserial PRIMARY KEY,
    topic text NOT NULL,
    key text,
    value text,
    headers text,
    dead_letter_id bigint,
    parked_at timestamptz
  ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000)`

/** Consumed positions: they decide which messages have taken effect; Kafka's own offset is a hint. */
export const offsetFenceTable = `
  CREATE TABLE consumed_offset (
    consumer_group text NOT NULL,
    topic text NOT NULL,
    partition integer NOT NULL,
    next_offset bigint NOT NULL,
    PRIMARY KEY (consumer_group, topic, partition)
  )`

/** Messages that could not be processed, as received, with the reason. */
export const deadLetterTable = `
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

/** Stored answers of mutations, by idempotency key. */
export const idempotencyTable = `
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

/** Claims of keys by requests in progress. Unlogged: after a crash of PostgreSQL every claim is void. */
export const idempotentClaimTable = `
  CREATE UNLOGGED TABLE idempotent_claim (
    application_id text NOT NULL,
    method text NOT NULL,
    path text NOT NULL,
    idempotency_key text NOT NULL,
    holder bigint NOT NULL,
    claim bigint NOT NULL UNIQUE,
    PRIMARY KEY (application_id, method, path, idempotency_key)
  )`
