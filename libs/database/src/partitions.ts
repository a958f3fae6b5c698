import type { QueryRunner } from 'typeorm'
import type { Queryable } from './transaction.js'

/** A table whose rows are kept for some days, in partitions that are dropped whole. */
export interface PartitionedTable {
  /** Its column `day` (date, UTC) decides the partition. */
  table: string
  /** Days of one partition. */
  daysEach: number
  /** Days for which rows are kept at least. */
  daysKept: number
}

/** Days ahead of today for which partitions exist. */
const DAYS_AHEAD = 2

const functionOf = ({ table }: Pick<PartitionedTable, 'table'>): string => `maintain_${table}`

/**
 * Creates the function that adds a table's coming partitions and drops its expired ones, and runs it. It runs with the
 * rights of the owner, because a service's role may neither create nor drop tables.
 */
export async function createPartitions(runner: QueryRunner, partitioned: PartitionedTable): Promise<void> {
  const { table, daysEach, daysKept } = partitioned
  await runner.query(`
    CREATE FUNCTION ${functionOf(partitioned)}() RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE
      today constant date := (now() AT TIME ZONE 'UTC')::date;
      first date;
      name text;
      dropped integer := 0;
    BEGIN
      PERFORM pg_advisory_xact_lock(hashtext('${functionOf(partitioned)}'));
      FOR first IN SELECT DISTINCT each::date - (each::date - date '1970-01-01') % ${daysEach}
                     FROM generate_series(today - 1, today + ${DAYS_AHEAD}, interval '1 day') AS each
      LOOP
        name := '${table}_' || to_char(first, 'YYYYMMDD');
        IF to_regclass(name) IS NULL THEN
          EXECUTE format('CREATE TABLE %I PARTITION OF ${table} FOR VALUES FROM (%L) TO (%L)', name, first, first + ${daysEach});
        END IF;
      END LOOP;
      FOR name IN SELECT child.relname FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid
                   WHERE inhparent = '${table}'::regclass
                     AND to_date(right(child.relname, 8), 'YYYYMMDD') + ${daysEach} <= today - ${daysKept}
      LOOP
        EXECUTE format('DROP TABLE %I', name);
        dropped := dropped + 1;
      END LOOP;
      RETURN dropped;
    END $$`)
  await runner.query(`SELECT ${functionOf(partitioned)}()`)
}

/** Drops the table with its partitions, and the function. */
export async function dropPartitions(runner: QueryRunner, partitioned: Pick<PartitionedTable, 'table'>): Promise<void> {
  await runner.query(`DROP TABLE ${partitioned.table}; DROP FUNCTION ${functionOf(partitioned)}()`)
}

/**
 * Adds the coming partitions of a table and drops its expired ones; any service may do so at any time.
 * @returns number of partitions dropped
 */
export async function maintainPartitions(on: Queryable, partitioned: Pick<PartitionedTable, 'table'>): Promise<number> {
  const { rows } = await on.query<{ dropped: number }>(`SELECT ${functionOf(partitioned)}() AS dropped`)
  return rows[0]!.dropped
}
