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

/** Writers of the property lock its row; pruning uses its time zone. */
const propertyTable = `
  CREATE TABLE property (
    property_id text PRIMARY KEY,
    revision bigint NOT NULL,
    timezone text NOT NULL
  )`

/** A room, a rate plan in a room (occupancy 0), or its price per occupancy. Keys cells by 4 bytes, not three texts. */
const seriesTable = `
  CREATE TABLE series (
    series_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    property_id text COLLATE "C" NOT NULL,
    room_id text COLLATE "C" NOT NULL,
    rate_plan_id text COLLATE "C" NOT NULL,
    occupancy integer NOT NULL,
    UNIQUE (property_id, room_id, rate_plan_id, occupancy)
  );
  COMMENT ON COLUMN series.rate_plan_id IS 'empty for the room itself'`

/** Half-empty pages keep a new version of a cell on its page, so that it needs no index entry. */
const cellTable = `
  CREATE TABLE cell (
    series_id integer NOT NULL,
    date date NOT NULL,
    availability integer,
    amount numeric,
    currency text,
    min_stay_arrival smallint,
    min_stay_through smallint,
    max_stay smallint,
    closed_to_arrival boolean,
    closed_to_departure boolean,
    stop_sell boolean,
    connection_id text NOT NULL,
    revision bigint NOT NULL,
    PRIMARY KEY (series_id, date)
  ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05)`

/** Availability, rates and restrictions by day, and the answers to the calls that wrote them. */
export class Inventory1795400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [propertyTable, seriesTable, cellTable, idempotencyTable]) await runner.query(statement)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE property, series, cell, idempotent_answer')
  }
}
