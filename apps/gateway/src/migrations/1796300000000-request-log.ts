import { createPartitions, dropPartitions } from '@connectivity/database/partitions'
import { REQUEST_LOG_DAYS } from '@connectivity/contracts/request-log'
import type { MigrationInterface, QueryRunner } from 'typeorm'

/** `day` is the UTC day of `at`. Rows with the same `fold_key` are one. `facts` are shown and never looked for. */
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

/** The request log, in a partition for each day. */
export class RequestLog1796300000000 implements MigrationInterface {
  static readonly compatibleSince = '0.1.0'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(requestTable)
    await createPartitions(runner, { table: 'logged_request', daysEach: 1, daysKept: REQUEST_LOG_DAYS })
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropPartitions(runner, { table: 'logged_request' })
    await runner.query('DROP SEQUENCE logged_request_id')
  }
}
