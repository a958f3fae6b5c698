import type { MigrationInterface, QueryRunner } from 'typeorm'

/** A notification has at most 8,000 bytes. */
const IDS_PER_NOTIFICATION = 100

const added = [
  `CREATE FUNCTION notify_added_events() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     PERFORM pg_notify('event_index', string_agg(connection_id, ' '))
        FROM (SELECT connection_id, (row_number() OVER () - 1) / ${IDS_PER_NOTIFICATION} AS part
                FROM (SELECT DISTINCT connection_id FROM added) ids) parts
       GROUP BY part;
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER event_index_added AFTER INSERT ON event
     REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION notify_added_events()`,
  `CREATE FUNCTION notify_failed_delivery() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     PERFORM pg_notify('event_index', NEW.connection_id);
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER event_index_failed AFTER UPDATE OF state ON delivery FOR EACH ROW
     WHEN (NEW.state = 'failed' AND OLD.state <> 'failed') EXECUTE FUNCTION notify_failed_delivery()`,
]

/**
 * Every commit that adds an event to the index, or a failed delivery to its filter, notifies all replicas. Triggers, so
 * that builds of the release before notify too: their writes do what they did.
 */
export class EventNotifications1796100000001 implements MigrationInterface {
  static readonly compatibleSince = '0.1.0'

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of added) await runner.query(statement)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION notify_added_events() CASCADE')
    await runner.query('DROP FUNCTION notify_failed_delivery() CASCADE')
  }
}
