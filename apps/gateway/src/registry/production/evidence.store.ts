import { Injectable } from '@nestjs/common'
import type { ChecklistCode } from '@connectivity/contracts/production'
import { bulkColumn, bulkRows, bulkValue, Database, type Queryable, type Transaction } from '@connectivity/database'
import type { Observation } from './checklist.js'

const INCOMPLETE = '(p.rooms_mapped < p.rooms_total OR p.rate_plans_mapped < p.rate_plans_total)'

/** Observations of the pilot checklist; the first observation of an item is kept. */
@Injectable()
export class EvidenceStore {
  constructor(private readonly database: Database) {}

  /** Records an observation for each of the connections. */
  async record(connectionIds: readonly string[], code: ChecklistCode, correlationId: string): Promise<void> {
    await this.database.query({
      name: 'evidence-record',
      text: `INSERT INTO pilot_evidence (connection_id, code, correlation_id)
             SELECT id, $2, $3 FROM ${bulkRows(['text'])} AS seen (id) ORDER BY id
             ON CONFLICT (connection_id, code) DO NOTHING`,
      values: [bulkValue(connectionIds), code, correlationId],
    })
  }

  /** Records the refusal of another partner's property, for every connection that the credential may use. */
  async recordDenial(applicationId: string, only: string | null, correlationId: string): Promise<void> {
    await this.database.query({
      name: 'evidence-record-denial',
      text: `INSERT INTO pilot_evidence (connection_id, code, correlation_id)
             SELECT connection_id, 'foreign_property_denied', $3 FROM connection
              WHERE application_id = $1 AND ($2::text IS NULL OR connection_id = $2) ORDER BY connection_id
             ON CONFLICT (connection_id, code) DO NOTHING`,
      values: [applicationId, only, correlationId],
    })
  }

  /** Records that a complete mapping was read, unless a later version is known to have unmapped entities. */
  async recordCompleteMapping(connectionId: string, mappingVersion: number, correlationId: string): Promise<void> {
    await this.database.query({
      name: 'evidence-record-mapping',
      text: `INSERT INTO pilot_evidence (connection_id, code, correlation_id, mapping_version)
             SELECT $1, 'mappings_verified', $3, $2::bigint
              WHERE NOT EXISTS (SELECT FROM property p
                                 WHERE p.connection_id = $1 AND p.mapping_version > $2 AND ${INCOMPLETE})
             ON CONFLICT (connection_id, code) DO NOTHING`,
      values: [connectionId, mappingVersion, correlationId],
    })
  }

  /** Reopens the mapping item where a later version has unmapped entities: the partner must read the mapping again. */
  async forgetCompleteMappings(tx: Transaction, connectionIds: readonly string[]): Promise<void> {
    await tx.query({
      name: 'evidence-forget-mappings',
      text: `DELETE FROM pilot_evidence e USING property p
              WHERE e.connection_id = ANY (${bulkColumn(1, 'text')}) AND e.code = 'mappings_verified'
                AND p.connection_id = e.connection_id AND p.mapping_version > e.mapping_version AND ${INCOMPLETE}`,
      values: [bulkValue(connectionIds)],
    })
  }

  /** The observations of one connection. */
  async of(on: Queryable, connectionId: string): Promise<Map<ChecklistCode, Observation>> {
    return (await this.ofAll(on, [connectionId])).get(connectionId)!
  }

  /** @returns by connection id; every given connection is in it */
  async ofAll(on: Queryable, connectionIds: readonly string[]): Promise<Map<string, Map<ChecklistCode, Observation>>> {
    const { rows } = await on.query<Observation & { code: ChecklistCode; connectionId: string }>({
      name: 'evidence-of-connections',
      text: `SELECT connection_id AS "connectionId", code, observed_at AS "observedAt", correlation_id AS "correlationId"
               FROM pilot_evidence WHERE connection_id = ANY (${bulkColumn(1, 'text')})`,
      values: [bulkValue(connectionIds)],
    })
    const found = new Map(connectionIds.map((id) => [id, new Map<ChecklistCode, Observation>()]))
    for (const { connectionId, code, ...observation } of rows) found.get(connectionId)!.set(code, observation)
    return found
  }
}
