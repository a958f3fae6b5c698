import { Injectable } from '@nestjs/common'
import { bulkRows, bulkValue, Database, queryRows } from '@connectivity/database'
import { IS_BEING_ENDED } from '../backlog/backlog-change.store.js'
import { LIVE_STATES } from '../backlog/live-states.js'

/** The sole right to deliver to a callback. `epoch` is a new number whenever the owner changes; results carry it. */
export interface Lease {
  connectionId: string
  epoch: string
}

/** Longest time for which a lease holds without being renewed, ms. */
export const LEASE_TIME = 10_000
/** Most leases taken by one statement. */
const AT_ONCE = 200

const ACQUIRE = `
  WITH free AS MATERIALIZED (
    SELECT c.connection_id FROM callback c JOIN connection k USING (connection_id)
     WHERE c.state = 'active' AND k.state IN ${LIVE_STATES}
       AND (c.lease_expires_at IS NULL OR c.lease_expires_at <= now())
       AND (c.breaker_open_until IS NULL OR c.breaker_open_until <= now())
       AND EXISTS (SELECT FROM lane l WHERE l.connection_id = c.connection_id AND l.due_at <= now())
       AND NOT ${IS_BEING_ENDED}
     LIMIT ${AT_ONCE} FOR NO KEY UPDATE OF c SKIP LOCKED)
  UPDATE callback c SET lease_owner = $1, lease_epoch = nextval('lease_epoch'),
                        lease_expires_at = now() + interval '${LEASE_TIME} ms'
    FROM free WHERE c.connection_id = free.connection_id
  RETURNING c.connection_id, c.lease_epoch`

/** Skips locked callbacks, as the next renewal comes long before the lease ends, and leases that were handed back. */
const RENEW = `
  WITH mine AS MATERIALIZED (SELECT * FROM ${bulkRows(['text', 'bigint'], 1)} AS mine (connection_id, epoch)),
  unlocked AS MATERIALIZED (
    SELECT c.connection_id FROM mine JOIN callback c ON c.connection_id = mine.connection_id AND c.lease_epoch = mine.epoch
     WHERE c.lease_owner IS NOT NULL
       FOR NO KEY UPDATE OF c SKIP LOCKED),
  renewed AS (
    UPDATE callback c SET lease_expires_at = now() + interval '${LEASE_TIME} ms'
      FROM unlocked WHERE c.connection_id = unlocked.connection_id
    RETURNING c.connection_id)
  SELECT mine.connection_id, c.connection_id IS NOT NULL, r.connection_id IS NOT NULL
    FROM mine LEFT JOIN callback c ON c.connection_id = mine.connection_id AND c.lease_epoch = mine.epoch
    LEFT JOIN renewed r ON r.connection_id = mine.connection_id`

/** Skips locked callbacks, so that the others do not wait. */
const HAND_BACK = `
  UPDATE callback SET lease_owner = NULL, lease_expires_at = NULL
   WHERE connection_id IN (
     SELECT c.connection_id FROM ${bulkRows(['text', 'bigint'], 1)} AS mine (connection_id, epoch)
       JOIN callback c ON c.connection_id = mine.connection_id AND c.lease_epoch = mine.epoch
        FOR NO KEY UPDATE OF c SKIP LOCKED)
  RETURNING connection_id`

const parameters = (leases: readonly Lease[]): string[] => [
  bulkValue(leases.map(({ connectionId }) => connectionId)),
  bulkValue(leases.map(({ epoch }) => epoch)),
]

/** Stores which process delivers to which callback, by the database's clock. */
@Injectable()
export class LeaseStore {
  constructor(private readonly database: Database) {}

  /** Takes leases on callbacks with due lanes that no process holds. */
  async acquire(owner: string): Promise<Lease[]> {
    const statement = { name: 'leases-acquire', text: ACQUIRE, values: [owner] }
    const rows = await queryRows<[string, string]>(this.database, statement)
    return rows.map(([connectionId, epoch]) => ({ connectionId, epoch }))
  }

  /** @returns the connections whose lease was renewed, and those whose lease is no longer ours */
  async renew(leases: readonly Lease[]): Promise<{ renewed: Set<string>; lost: Set<string> }> {
    const rows = await queryRows<[string, boolean, boolean]>(this.database, {
      name: 'leases-renew',
      text: RENEW,
      values: parameters(leases),
    })
    const ids = (wanted: (row: [string, boolean, boolean]) => boolean) => new Set(rows.filter(wanted).map(([id]) => id))
    return { renewed: ids(([, , renewed]) => renewed), lost: ids(([, ours]) => !ours) }
  }

  /** @returns the connections whose lease was handed back */
  async handBack(leases: readonly Lease[]): Promise<Set<string>> {
    const statement = { name: 'leases-hand-back', text: HAND_BACK, values: parameters(leases) }
    const rows = await queryRows<[string]>(this.database, statement)
    return new Set(rows.map(([id]) => id))
  }

  /** Frees the leases of a crashed process with this name, so that they need not expire first. */
  async takeBack(owner: string): Promise<number> {
    const { rowCount } = await this.database.query(
      'UPDATE callback SET lease_owner = NULL, lease_expires_at = NULL WHERE lease_owner = $1',
      [owner],
    )
    return rowCount ?? 0
  }
}
