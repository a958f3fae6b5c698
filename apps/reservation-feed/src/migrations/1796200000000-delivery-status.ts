import type { MigrationInterface, QueryRunner } from 'typeorm'

/** The rows change with the polls of partners: room on the page keeps their updates off the index. */
const progressTable = `
  CREATE TABLE feed_progress (
    connection_id text PRIMARY KEY,
    served_to bigint NOT NULL,
    processed_to bigint NOT NULL,
    processed_at timestamptz,
    at_risk integer NOT NULL DEFAULT 0
  ) WITH (fillfactor = 50)`

/** No polls are recorded yet: connections with rows count as up to date, so that none is at risk at once. */
const progressSoFar = `
  INSERT INTO feed_progress (connection_id, served_to, processed_to)
  SELECT connection_id, last_stamp, last_stamp FROM feed_connection WHERE last_stamp > 0 AND state <> 'closed'`

/** One row: when any process last checked for risks. */
const riskRoundTable = `
  CREATE TABLE risk_round (begun_at timestamptz NOT NULL);
  INSERT INTO risk_round VALUES ('-infinity')`

const connectionColumns = `
  ALTER TABLE feed_connection ADD COLUMN connection_state text, ADD COLUMN environment text, ADD COLUMN timezone text`

/** Partners' progress, and the columns of a connection that decide whether waiting rows are at risk. */
export class DeliveryStatus1796200000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [progressTable, progressSoFar, riskRoundTable, connectionColumns])
      await runner.query(statement)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE feed_progress, risk_round')
    await runner.query(
      'ALTER TABLE feed_connection DROP COLUMN connection_state, DROP COLUMN environment, DROP COLUMN timezone',
    )
  }
}
