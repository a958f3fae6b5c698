import type { MigrationInterface, QueryRunner } from 'typeorm'

/** A notification has at most 8,000 bytes. */
const IDS_PER_NOTIFICATION = 100

// An earlier build ran these steps in the migration before.
const steps = [
  `DROP TRIGGER IF EXISTS event_index_failed ON delivery`,
  `DROP FUNCTION IF EXISTS notify_failed_delivery()`,

  // One notification per statement, for all of its deliveries. EXCEPT rather than a join: the plan is kept
  // for later statements, and a join planned for one row compares each of a thousand rows with each.
  `CREATE OR REPLACE FUNCTION notify_changed_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     PERFORM pg_notify('event_index', string_agg(connection_id, ' '))
        FROM (SELECT connection_id, (row_number() OVER () - 1) / ${IDS_PER_NOTIFICATION} AS part
                FROM (SELECT DISTINCT connection_id
                        FROM (SELECT connection_id, sequence, state FROM changed
                              EXCEPT SELECT connection_id, sequence, state FROM before) states) ids) parts
       GROUP BY part;
     RETURN NULL;
   END $$`,
  `CREATE OR REPLACE TRIGGER event_index_delivery AFTER UPDATE ON delivery
     REFERENCING OLD TABLE AS before NEW TABLE AS changed
     FOR EACH STATEMENT EXECUTE FUNCTION notify_changed_deliveries()`,
]

const undo = [
  'DROP FUNCTION notify_changed_deliveries() CASCADE',
  `CREATE FUNCTION notify_failed_delivery() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     PERFORM pg_notify('event_index', NEW.connection_id);
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER event_index_failed AFTER UPDATE OF state ON delivery FOR EACH ROW
     WHEN (NEW.state = 'failed' AND OLD.state <> 'failed') EXECUTE FUNCTION notify_failed_delivery()`,
]

/**
 * Every commit that changes the state of a delivery notifies all replicas, not only one that makes it fail. A migration
 * of its own, so that no lock of another table is waited for while this one is locked.
 */
export class DeliveryStateNotifications1796600000001 implements MigrationInterface {
  static readonly compatibleSince = '0.1.0'

  async up(runner: QueryRunner): Promise<void> {
    for (const step of steps) await runner.query(step)
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const step of undo) await runner.query(step)
  }
}
