import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * `day` is the UTC day of `at`. Requests with the same `fold_key` share a row. `facts` are shown and never searched.
 */
const requestTable = `
  CREATE SEQUENCE logged_request_id;
  CREATE TABLE logged_request (
    day date NOT NULL,
    at timestamptz(3) NOT NULL,
    id bigint NOT NULL DEFAULT nextval('logged_request_id'),
    correlation_id text NOT NULL,
    application_id text,
    key_id text,
    connection_id text,
    method text NOT NULL,
    path text NOT NULL,
    auth_method text,
    authenticated boolean NOT NULL,
    status smallint NOT NULL,
    code text,
    duration_ms double precision NOT NULL,
    page_from bigint,
    page_to bigint,
    page_rows integer,
    facts text NOT NULL,
    fold_key text,
    repeated integer NOT NULL
  ) PARTITION BY RANGE (day);
  CREATE INDEX logged_request_application ON logged_request (application_id, at, id);
  CREATE INDEX logged_request_at ON logged_request (at, id);
  CREATE INDEX logged_request_correlation ON logged_request (correlation_id);
  CREATE INDEX logged_request_page ON logged_request (connection_id, page_to, page_from) WHERE page_rows > 0;
  CREATE UNIQUE INDEX logged_request_fold ON logged_request (day, fold_key) WHERE fold_key IS NOT NULL`

/**
 * Adds the coming partitions, each of a day, and drops those older than 14 days. It runs with the rights of the owner,
 * because a service's role may neither create nor drop tables.
 */
const maintenance = `
    CREATE FUNCTION maintain_logged_request() RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE
      today constant date := (now() AT TIME ZONE 'UTC')::date;
      first date;
      name text;
      dropped integer := 0;
    BEGIN
      PERFORM pg_advisory_xact_lock(hashtext('maintain_logged_request'));
      FOR first IN SELECT DISTINCT each::date - (each::date - date '1970-01-01') % 1
                     FROM generate_series(today - 1, today + 2, interval '1 day') AS each
      LOOP
        name := 'logged_request_' || to_char(first, 'YYYYMMDD');
        IF to_regclass(name) IS NULL THEN
          EXECUTE format('CREATE TABLE %I PARTITION OF logged_request FOR VALUES FROM (%L) TO (%L)', name, first, first + 1);
        END IF;
      END LOOP;
      FOR name IN SELECT child.relname FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid
                   WHERE inhparent = 'logged_request'::regclass
                     AND to_date(right(child.relname, 8), 'YYYYMMDD') + 1 <= today - 14
      LOOP
        EXECUTE format('DROP TABLE %I', name);
        dropped := dropped + 1;
      END LOOP;
      RETURN dropped;
    END $$`

/** The request log, in a partition for each day. */
export class RequestLog1796300000000 implements MigrationInterface {
  static readonly compatibleSince = '0.1.0'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(requestTable)
    await runner.query(maintenance)
    await runner.query('SELECT maintain_logged_request()')
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE logged_request; DROP FUNCTION maintain_logged_request()')
    await runner.query('DROP SEQUENCE logged_request_id')
  }
}
