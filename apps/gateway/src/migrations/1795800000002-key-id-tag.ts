import type { MigrationInterface, QueryRunner } from 'typeorm'

/** The key of the tags in key and client ids: one permanent row, 244 random bits in 32 bytes. */
export class KeyIdTag1795800000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE key_id_tag (
      only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
      key bytea NOT NULL
    )`)
    await runner.query(`INSERT INTO key_id_tag (key)
      VALUES (decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'))`)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE key_id_tag`)
  }
}
