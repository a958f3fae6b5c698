import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * Adds the coming partitions, each of a week, and drops those older than the given number of days. It runs with the
 * rights of the owner, because a service's role may neither create nor drop tables.
 * Earlier builds call the function without a parameter.
 */
const maintenance = `
    CREATE FUNCTION maintain_reservation_stamp(days integer) RETURNS integer
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
                     AND to_date(right(child.relname, 8), 'YYYYMMDD') + 7 <= today - greatest(days, 1)
      LOOP
        EXECUTE format('DROP TABLE %I', name);
        dropped := dropped + 1;
      END LOOP;
      RETURN dropped;
    END $$`

/** Lets the service say for how many days changes stay in timelines. */
export class TimelineDays1796600000000 implements MigrationInterface {
  static readonly compatibleSince = '0.1.0'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(maintenance)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION maintain_reservation_stamp(integer)')
  }
}
