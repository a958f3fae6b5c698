import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * Every stamp that a reservation had on a connection. `recorded_at` is the beginning of the transaction that wrote it:
 * until then the reservation had its earlier stamp.
 */
const stampTable = `
  CREATE TABLE reservation_stamp (
    connection_id text NOT NULL,
    reservation_id text NOT NULL,
    stamp bigint NOT NULL,
    recorded_at timestamptz(3) NOT NULL DEFAULT now(),
    day date NOT NULL DEFAULT (now() AT TIME ZONE 'UTC')::date,
    kind text NOT NULL CHECK (kind IN ('stamped', 'problem', 'mended', 'redelivered')),
    changes text,
    PRIMARY KEY (connection_id, reservation_id, stamp, day)
  ) PARTITION BY RANGE (day)`

/**
 * Adds the coming partitions, each of a week, and drops those older than 90 days. It runs with the rights of the owner,
 * because a service's role may neither create nor drop tables.
 */
const maintenance = `
    CREATE FUNCTION maintain_reservation_stamp() RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE
      today constant date := (now() AT TIME ZONE 'UTC')::date;
      first date;
      name text;
      dropped integer := 0;
    BEGIN
      PERFORM pg_advisory_xact_lock(hashtext('maintain_reservation_stamp'));
      FOR first IN SELECT DISTINCT each::date - (each::date - date '1970-01-01') % 7
                     FROM generate_series(today - 1, today + 2, interval '1 day') AS each
      LOOP
        name := 'reservation_stamp_' || to_char(first, 'YYYYMMDD');
        IF to_regclass(name) IS NULL THEN
          EXECUTE format('CREATE TABLE %I PARTITION OF reservation_stamp FOR VALUES FROM (%L) TO (%L)', name, first, first + 7);
        END IF;
      END LOOP;
      FOR name IN SELECT child.relname FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid
                   WHERE inhparent = 'reservation_stamp'::regclass
                     AND to_date(right(child.relname, 8), 'YYYYMMDD') + 7 <= today - 90
      LOOP
        EXECUTE format('DROP TABLE %I', name);
        dropped := dropped + 1;
      END LOOP;
      RETURN dropped;
    END $$`

/** Timelines of reservations, in a partition for each week. */
export class ReservationStamps1796300000000 implements MigrationInterface {
  static readonly compatibleSince = '0.1.0'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(stampTable)
    await runner.query(maintenance)
    await runner.query('SELECT maintain_reservation_stamp()')
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE reservation_stamp; DROP FUNCTION maintain_reservation_stamp()')
  }
}
