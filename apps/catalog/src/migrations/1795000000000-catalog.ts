import { connectionTable } from '@connectivity/connections/connection-table'
import { offsetFenceTable } from '@connectivity/database/offset-fence'
import { outboxTable } from '@connectivity/database/outbox'
import { deadLetterTable } from '@connectivity/kafka/dead-letters'
import type { MigrationInterface, QueryRunner } from 'typeorm'

/** The row exists from the first sight of the property, so that it can be locked; the snapshot may come later. */
const propertyTable = `
  CREATE TABLE property (
    property_id text PRIMARY KEY,
    snapshot text
  )`

const versionTable = `
  CREATE TABLE catalog_version (
    connection_id text PRIMARY KEY,
    catalog_version bigint NOT NULL DEFAULT 0,
    mapping_version bigint NOT NULL DEFAULT 0
  )`

/** Judged at the end of a transaction, so that two entities can swap their ids. */
const mappingTable = `
  CREATE TABLE mapping (
    connection_id text NOT NULL,
    entity_type text NOT NULL CHECK (entity_type IN ('property', 'room', 'rate_plan')),
    service_id text NOT NULL,
    external_id text NOT NULL,
    PRIMARY KEY (connection_id, entity_type, service_id),
    CONSTRAINT mapping_external_id UNIQUE (connection_id, entity_type, external_id) DEFERRABLE INITIALLY DEFERRED
  )`

/** Properties, the connections to them, and what each connection calls their rooms and rate plans. */
export class Catalog1795000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const own = [propertyTable, connectionTable, versionTable, mappingTable]
    for (const statement of [...own, outboxTable, offsetFenceTable, deadLetterTable]) await runner.query(statement)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'DROP TABLE property, connection, catalog_version, mapping, outbox, consumed_offset, dead_letter',
    )
  }
}
