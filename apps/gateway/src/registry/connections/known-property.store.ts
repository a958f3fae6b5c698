import { Injectable } from '@nestjs/common'
import { bulkColumn, bulkRows, bulkValue, type Queryable, type Transaction } from '@connectivity/database'

/** Ids of properties for which the booking engine has sent a snapshot; none is ever deleted. */
@Injectable()
export class KnownPropertyStore {
  /**
   * @param ids property ids of the booking engine
   * @returns the ids that a snapshot has named
   */
  async among(on: Queryable, ids: readonly string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set()
    const { rows } = await on.query<{ property_id: string }>({
      name: 'known-properties-find',
      text: `SELECT property_id FROM known_property WHERE property_id = ANY (${bulkColumn(1, 'text')})`,
      values: [bulkValue(ids)],
    })
    return new Set(rows.map(({ property_id }) => property_id))
  }

  /** Adds ids; known ids stay unchanged. */
  async add(tx: Transaction, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    await tx.query({
      name: 'known-properties-add',
      text: `INSERT INTO known_property SELECT id FROM ${bulkRows(['text'])} AS id ORDER BY id ON CONFLICT DO NOTHING`,
      values: [bulkValue(ids)],
    })
  }
}
