import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Evidence of pilots, and the production requests that end them. */
export class ProductionRequests1795400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE pilot_evidence (
        connection_id text NOT NULL,
        code text NOT NULL,
        observed_at timestamptz(3) NOT NULL DEFAULT now(),
        correlation_id text NOT NULL,
        mapping_version bigint,
        PRIMARY KEY (connection_id, code)
      )`)
    await runner.query(`
      CREATE TABLE production_request (
        request_id text PRIMARY KEY,
        connection_id text NOT NULL REFERENCES connection,
        application_id text NOT NULL,
        state text NOT NULL CHECK (state IN ('submitted', 'approved', 'rejected')),
        contact_name text NOT NULL,
        contact_email text NOT NULL,
        go_live_on date,
        notes text,
        correlation_id text NOT NULL,
        submitted_at timestamptz(3) NOT NULL,
        decided_at timestamptz(3),
        decision_reason text
      );
      CREATE INDEX production_request_connection ON production_request (connection_id, request_id);
      CREATE UNIQUE INDEX production_request_open ON production_request (connection_id) WHERE state = 'submitted'`)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE production_request, pilot_evidence')
  }
}
