import type { MigrationInterface, QueryRunner } from 'typeorm'
import { evidenceTable } from '../production/evidence.store.js'
import { productionRequestTable } from '../production/production-request.entity.js'

/** What pilots have shown, and the requests that end them. */
export class ProductionRequests1795400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [evidenceTable, productionRequestTable]) await runner.query(statement)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE production_request, pilot_evidence')
  }
}
