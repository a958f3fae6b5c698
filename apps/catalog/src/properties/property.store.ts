import { Injectable } from '@nestjs/common'
import { bulkColumn, bulkRows, bulkValue, type Transaction } from '@connectivity/database'
import type { PropertySnapshot } from './property-snapshot.js'

/** The latest snapshot of every property. */
@Injectable()
export class PropertyStore {
  /**
   * Locks properties, also unknown ones, until the transaction ends. Every change of a property, of its connections or
   * of their mappings takes this lock, so that no change misses a concurrent one.
   * @returns for each property its snapshot, null when none has arrived
   */
  async lock(tx: Transaction, propertyIds: Iterable<string>): Promise<Map<string, PropertySnapshot | null>> {
    const ids = bulkValue([...new Set(propertyIds)])
    await tx.query({
      name: 'properties-add',
      text: `INSERT INTO property (property_id) SELECT id FROM ${bulkRows(['text'])} AS id ORDER BY id
             ON CONFLICT DO NOTHING`,
      values: [ids],
    })
    const { rows } = await tx.query<{ property_id: string; snapshot: string | null }>({
      name: 'properties-lock',
      text: `SELECT property_id, snapshot FROM property
              WHERE property_id = ANY (${bulkColumn(1, 'text')}) ORDER BY property_id FOR UPDATE`,
      values: [ids],
    })
    return new Map(rows.map(({ property_id, snapshot }) => [property_id, snapshot === null ? null : parse(snapshot)]))
  }

  /** Stores snapshots of locked properties. */
  async save(tx: Transaction, snapshots: readonly PropertySnapshot[]): Promise<void> {
    if (snapshots.length === 0) return
    await tx.query({
      name: 'properties-save',
      text: `UPDATE property SET snapshot = given.snapshot
               FROM ${bulkRows(['text', 'text'])} AS given (id, snapshot) WHERE property_id = given.id`,
      values: [
        bulkValue(snapshots.map(({ property_id }) => property_id)),
        bulkValue(snapshots.map((snapshot) => JSON.stringify(snapshot))),
      ],
    })
  }
}

const parse = (snapshot: string): PropertySnapshot => JSON.parse(snapshot) as PropertySnapshot
