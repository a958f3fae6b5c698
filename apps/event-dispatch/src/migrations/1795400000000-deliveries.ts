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

/** Rows are written and deleted constantly, so autovacuum counts dead rows instead of using their share. */
const QUEUE = 'fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000'

const steps = [
  // The event index. Written once and never updated; `body` is the envelope's JSON text, byte for byte as consumed.
  `CREATE TABLE event (
    connection_id text NOT NULL,
    sequence bigint NOT NULL,
    event_id text NOT NULL,
    type text NOT NULL,
    reservation_id text NOT NULL,
    occurred_at timestamptz(3) NOT NULL,
    received_at timestamptz(3) NOT NULL DEFAULT now(),
    body text NOT NULL,
    PRIMARY KEY (connection_id, sequence)
  )`,
  `CREATE UNIQUE INDEX event_id ON event (event_id)`,
  `CREATE INDEX event_age ON event (received_at)`,

  // Totals of a connection's events. dropped_sequence: the highest sequence that retention has removed.
  `CREATE TABLE event_summary (
    connection_id text PRIMARY KEY,
    unacknowledged bigint NOT NULL DEFAULT 0,
    dropped_sequence bigint NOT NULL DEFAULT 0
  ) WITH (fillfactor = 50)`,

  // Callbacks. secret and previous_secret are sealed texts; every change that deliveries must follow raises revision.
  `CREATE TABLE callback (
    connection_id text PRIMARY KEY,
    url text NOT NULL,
    events text[] NOT NULL,
    payload text NOT NULL CHECK (payload IN ('full', 'thin')),
    state text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'suspended', 'suspended_by_operator')),
    suspended_at timestamptz(3),
    secret text NOT NULL,
    previous_secret text,
    previous_secret_ends_at timestamptz(3),
    revision bigint NOT NULL DEFAULT 1,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    last_success_at timestamptz(3),
    failing_since timestamptz(3),
    failures_in_row integer NOT NULL DEFAULT 0,
    breaker_opened integer NOT NULL DEFAULT 0,
    breaker_open_until timestamptz(3),
    lease_owner text,
    lease_epoch bigint NOT NULL DEFAULT 0,
    lease_expires_at timestamptz(3)
  ) WITH (fillfactor = 50)`,
  // One number for each lease ever taken, so that a recreated callback never gets the number of an old lease.
  `CREATE SEQUENCE lease_epoch`,

  // One row per event. Waiting ones are 'pending'; whether they are held follows from their callback and connection.
  // retries_from: attempts made before the current round of retries began.
  `CREATE TABLE delivery (
    connection_id text NOT NULL,
    sequence bigint NOT NULL,
    reservation_id text NOT NULL,
    state text NOT NULL CHECK (state IN ('pending', 'delivered', 'failed', 'superseded', 'not_configured')),
    unacknowledged boolean NOT NULL DEFAULT true,
    attempts integer NOT NULL DEFAULT 0,
    retries_from integer NOT NULL DEFAULT 0,
    last_status integer,
    last_error text,
    PRIMARY KEY (connection_id, sequence)
  ) WITH (${QUEUE})`,
  `CREATE INDEX delivery_waiting ON delivery (connection_id, reservation_id, sequence) WHERE state = 'pending'`,
  `CREATE INDEX delivery_failed ON delivery (connection_id, sequence) WHERE state = 'failed'`,
  `CREATE INDEX delivery_unacknowledged ON delivery (connection_id, sequence) WHERE unacknowledged`,

  // One row per reservation with waiting deliveries. Adding a delivery raises arrivals in the same transaction.
  // A lane is deleted only by a process that has seen it empty, and only while arrivals is unchanged since.
  `CREATE TABLE lane (
    connection_id text NOT NULL,
    reservation_id text NOT NULL,
    arrivals bigint NOT NULL DEFAULT 1,
    due_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (connection_id, reservation_id)
  ) WITH (${QUEUE})`,
  `CREATE INDEX lane_due ON lane (connection_id, due_at)`,

  `CREATE TABLE acknowledgement (
    connection_id text NOT NULL,
    sequence bigint NOT NULL,
    outcome text NOT NULL CHECK (outcome IN ('processed', 'rejected', 'deferred')),
    partner_reservation_id text,
    reason text,
    at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (connection_id, sequence)
  )`,
  idempotencyTable,
]

/** Events, callbacks, deliveries and the partners' acknowledgements. */
export class Deliveries1795400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const step of steps) await runner.query(step)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'DROP TABLE event, event_summary, callback, delivery, lane, acknowledgement, idempotent_answer; DROP SEQUENCE lease_epoch',
    )
  }
}
