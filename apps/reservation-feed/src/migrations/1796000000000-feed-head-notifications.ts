import type { MigrationInterface, QueryRunner } from 'typeorm'

/** A notification has at most 8,000 bytes. */
const IDS_PER_NOTIFICATION = 100

const notifier = `
  CREATE FUNCTION notify_feed_heads() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_notify('feed_heads', string_agg(connection_id, ' '))
       FROM (SELECT connection_id, (row_number() OVER () - 1) / ${IDS_PER_NOTIFICATION} AS part FROM changed) ids
      GROUP BY part;
    RETURN NULL;
  END $$`

const trigger = (event: string, rows: 'NEW' | 'OLD') =>
  `CREATE TRIGGER feed_heads_${event.toLowerCase()} AFTER ${event} ON feed_connection
     REFERENCING ${rows} TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION notify_feed_heads()`

/**
 * Every commit that changes heads notifies all replicas, which kept heads in memory when this was written. Triggers, so
 * that builds of the release before notify too: their writes do what they did.
 */
export class FeedHeadNotifications1796000000000 implements MigrationInterface {
  static readonly compatibleSince = '0.1.0'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(notifier)
    await runner.query(trigger('INSERT', 'NEW'))
    await runner.query(trigger('UPDATE', 'NEW'))
    await runner.query(trigger('DELETE', 'OLD'))
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION notify_feed_heads() CASCADE')
  }
}
