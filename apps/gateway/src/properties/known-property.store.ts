import { Injectable } from '@nestjs/common'
import { bulkColumn, bulkRows, bulkValue } from '@connectivity/database/bulk'
import type { Database, Transaction } from '@connectivity/database/database'

/** The booking engine's ids of properties of which a snapshot has arrived; a property is never forgotten. */
export const knownPropertyTable = `
  CREATE TABLE known_property (
    property_id text PRIMARY KEY
  )`

/** Which of the booking engine's properties exist, as far as its snapshots have told. */
@Injectable()
export class KnownPropertyStore {
  /**
   * @param ids of the booking engine
   * @returns those of them that a snapshot has named
   */
  async among(on: Database['reads'] | Transaction, ids: readonly string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set()
    const { rows } = await on.query<{ property_id: string }>({
      name: 'known-properties-find',
      text: `SELECT property_id FROM known_property WHERE property_id = ANY (${bulkColumn(1, 'text')})`,
      values: [bulkValue(ids)],
    })
    return new Set(rows.map(({ property_id }) => property_id))
  }

  async add(tx: Transaction, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    await tx.query({
      name: 'known-properties-add',
      text: `INSERT INTO known_property SELECT id FROM ${bulkRows(['text'])} AS id ORDER BY id ON CONFLICT DO NOTHING`,
      values: [bulkValue(ids)],
    })
  }
}
