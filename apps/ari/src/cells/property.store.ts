import { Injectable } from '@nestjs/common'
import {
  advisoryLocks,
  bulkRows,
  bulkText,
  bulkValue,
  queryRows,
  textOf,
  type Transaction,
} from '@connectivity/database'

/** A request for a property's lock. */
export interface Locking {
  propertyId: string
  connectionId: string
  /** The property's time zone. */
  timezone: string
  /** Latest time to wait for the locks, ms since 1970. */
  deadline: number
}

/**
 * Takes an advisory lock, which PostgreSQL grants in the order of requests. A row lock would not keep the order: each
 * call writes a new version of the row, and the waiting calls compete again for its lock.
 */
const queueUp = (tx: Transaction, queue: string, timeout: number) =>
  tx.query({
    name: 'property-queue',
    text: `SELECT set_config('lock_timeout',
                    greatest(1, $2 - 1000 * extract(epoch FROM clock_timestamp() - now()))::integer::text, true),
                  pg_advisory_xact_lock(${advisoryLocks.inventoryQueue('$1')})`,
    values: [queue, timeout],
  })

/** Key of the queue for a property. */
const queueOf = (propertyId: string): string => `ari ${propertyId}`

/**
 * Locks each property that no other transaction holds or waits for, without waiting. A row that another transaction
 * has locked counts as held. Materialized, because a lock must be asked for once only.
 */
const tryLock = `
  WITH given AS MATERIALIZED (
    SELECT property_id, ${textOf('timezone')} AS timezone,
           pg_try_advisory_xact_lock(${advisoryLocks.inventoryQueue('queue')}) AS is_taken
      FROM ${bulkRows(['text', 'json', 'text'])} AS named (property_id, timezone, queue)),
  made AS (
    INSERT INTO property (property_id, revision, timezone)
    SELECT property_id, 0, timezone FROM given
     WHERE is_taken AND NOT EXISTS (SELECT FROM property AS known WHERE known.property_id = given.property_id)
    ON CONFLICT (property_id) DO NOTHING RETURNING property_id, revision)
  SELECT given.property_id, coalesce(found.revision, made.revision)
    FROM given LEFT JOIN made USING (property_id)
    LEFT JOIN LATERAL (SELECT revision FROM property AS known
                        WHERE is_taken AND known.property_id = given.property_id FOR UPDATE SKIP LOCKED) AS found ON true`

/** A property with the time zone of its calendar. */
interface NamedProperty {
  propertyId: string
  timezone: string
}

/** The revisions of properties. */
@Injectable()
export class PropertyStore {
  /**
   * Locks the property until the transaction ends, so that its calls are applied one after the other. The connections
   * take turns, however many replicas and calls there are: one call of each connection waits for the property, first
   * come, first served, and its other calls wait for their own connection's turn.
   * @returns its revision, 0 before the first
   * @throws 55P03 if the locks are not granted by the deadline
   */
  async lock(tx: Transaction, { propertyId, connectionId, timezone, deadline }: Locking): Promise<number> {
    const timeout = deadline - Date.now()
    const [, , revision] = await Promise.all([
      queueUp(tx, `ari ${propertyId} ${connectionId}`, timeout),
      queueUp(tx, queueOf(propertyId), timeout),
      this.revision(tx, propertyId, 'FOR UPDATE'),
    ])
    if (revision !== null) return revision
    await tx.query(
      'INSERT INTO property (property_id, revision, timezone) VALUES ($1, 0, $2) ON CONFLICT (property_id) DO NOTHING',
      [propertyId, timezone],
    )
    return (await this.revision(tx, propertyId, 'FOR UPDATE'))!
  }

  /**
   * Locks those properties that are free until the transaction ends. Never waits, so that one property neither blocks a
   * group of calls nor causes a deadlock.
   * @returns the revisions of the locked ones
   */
  async tryLock(tx: Transaction, properties: readonly NamedProperty[]): Promise<Map<string, number>> {
    const column = (value: (one: NamedProperty) => string) => bulkValue(properties.map(value))
    const rows = await queryRows<[string, string | null]>(tx, {
      name: 'property-try-lock',
      text: tryLock,
      values: [
        column(({ propertyId }) => propertyId),
        bulkText(properties.map(({ timezone }) => timezone)),
        column(({ propertyId }) => queueOf(propertyId)),
      ],
    })
    return new Map(rows.flatMap(([id, revision]) => (revision === null ? [] : [[id, Number(revision)]])))
  }

  /** Returns the property's current revision, 0 before the first, without a lock. */
  async currentRevision(tx: Transaction, propertyId: string): Promise<number> {
    return (await this.revision(tx, propertyId, '')) ?? 0
  }

  private async revision(tx: Transaction, propertyId: string, lock: 'FOR UPDATE' | ''): Promise<number | null> {
    const [row] = await queryRows<[revision: string]>(tx, {
      name: lock === '' ? 'property-revision' : 'property-lock',
      text: `SELECT revision FROM property WHERE property_id = $1 ${lock}`,
      values: [propertyId],
    })
    return row ? Number(row[0]) : null
  }
}
