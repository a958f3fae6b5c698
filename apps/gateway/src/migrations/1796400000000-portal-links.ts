import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Portal links, each with the one session that it starts; people's changes have no reason. */
export class PortalLinks1796400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE portal_link (
      portal_link_id text PRIMARY KEY,
      application_id text NOT NULL REFERENCES application,
      email text NOT NULL,
      role text NOT NULL,
      token_hash bytea NOT NULL UNIQUE,
      created_at timestamptz(3) NOT NULL,
      expires_at timestamptz(3) NOT NULL,
      used_at timestamptz(3),
      revoked_at timestamptz(3),
      session_hash bytea UNIQUE,
      session_started_at timestamptz(3),
      session_last_seen_at timestamptz(3),
      session_expires_at timestamptz(3),
      session_ended_at timestamptz(3)
    )`)
    await runner.query('CREATE INDEX portal_link_application ON portal_link (application_id, portal_link_id)')
    await runner.query('ALTER TABLE audit_entry ALTER COLUMN reason DROP NOT NULL')
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE portal_link')
  }
}
