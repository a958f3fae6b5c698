import { Injectable } from '@nestjs/common'
import type { Transaction } from '@connectivity/database/transaction'
import type { PropertySnapshot } from './property-snapshot.js'

/** The latest snapshot of every property. */
@Injectable()
export class PropertyStore {
  /**
   * Locks properties, also unknown ones, until the transaction ends. Every change of a property, of the connections to
   * it or of their mappings takes its lock, so that none of them misses what another is writing.
   * @returns for each property its snapshot, null when none has arrived
   */
  async lock(tx: Transaction, propertyIds: Iterable<string>): Promise<Map<string, PropertySnapshot | null>> {
    const ids = JSON.stringify([...new Set(propertyIds)])
    await tx.query({
      name: 'properties-add',
      text: `INSERT INTO property (property_id) SELECT id FROM json_array_elements_text($1) AS id ORDER BY id
             ON CONFLICT DO NOTHING`,
      values: [ids],
    })
    const { rows } = await tx.query<{ property_id: string; snapshot: string | null }>({
      name: 'properties-lock',
      text: `SELECT property_id, snapshot FROM property
              WHERE property_id IN (SELECT json_array_elements_text($1)) ORDER BY property_id FOR UPDATE`,
      values: [ids],
    })
    return new Map(rows.map(({ property_id, snapshot }) => [property_id, snapshot === null ? null : parse(snapshot)]))
  }

  /** Stores snapshots of locked properties. */
  async save(tx: Transaction, snapshots: readonly PropertySnapshot[]): Promise<void> {
    if (snapshots.length === 0) return
    const given = snapshots.map((snapshot) => ({ id: snapshot.property_id, snapshot: JSON.stringify(snapshot) }))
    await tx.query({
      name: 'properties-save',
      text: `UPDATE property SET snapshot = given.snapshot
               FROM json_to_recordset($1) AS given (id text, snapshot text) WHERE property_id = given.id`,
      values: [JSON.stringify(given)],
    })
  }
}

const parse = (snapshot: string): PropertySnapshot => JSON.parse(snapshot) as PropertySnapshot
