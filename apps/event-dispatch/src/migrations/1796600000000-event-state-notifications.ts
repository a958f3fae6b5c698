import type { MigrationInterface, QueryRunner } from 'typeorm'

const steps = [
  // Changes that make waiting deliveries 'pending', 'held' or 'not_configured' to partners.
  `CREATE FUNCTION notify_event_index() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     PERFORM pg_notify('event_index', NEW.connection_id);
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER event_index_callback AFTER UPDATE OF state ON callback FOR EACH ROW
     WHEN (NEW.state <> OLD.state) EXECUTE FUNCTION notify_event_index()`,
  `CREATE TRIGGER event_index_connection AFTER UPDATE OF state ON connection FOR EACH ROW
     WHEN (NEW.state <> OLD.state) EXECUTE FUNCTION notify_event_index()`,
  `CREATE TRIGGER event_index_connection_added AFTER INSERT ON connection
     REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION notify_added_events()`,
  `CREATE TRIGGER event_index_end AFTER INSERT ON backlog_change FOR EACH ROW
     WHEN (NEW.kind = 'end') EXECUTE FUNCTION notify_event_index()`,
]

const undo = ['DROP FUNCTION notify_event_index() CASCADE', 'DROP TRIGGER event_index_connection_added ON connection']

/**
 * Every commit that changes the state of waiting deliveries, as partners see it, notifies all replicas. Builds of the
 * previous release write the same rows and do not read the notifications.
 */
export class EventStateNotifications1796600000000 implements MigrationInterface {
  static readonly compatibleSince = '0.1.0'

  async up(runner: QueryRunner): Promise<void> {
    for (const step of steps) await runner.query(step)
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const step of undo) await runner.query(step)
  }
}
