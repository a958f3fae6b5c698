import { advisoryLocks, bulkColumn, bulkValue, type Transaction } from '@connectivity/database'

/** Properties share locks, so that a batch of many properties does not fill the server's lock table. */
const BUCKETS = 256

/**
 * Locks properties until the end of the transaction: `shared` to project their bookings, `exclusive` to change their
 * connections or catalogs. So a concurrent booking is either part of a new connection's fill or comes after it, and
 * catalogs do not change during rendering. Taken before all other locks, in a fixed order.
 */
export async function lockProperties(
  tx: Transaction,
  propertyIds: readonly string[],
  mode: 'shared' | 'exclusive',
): Promise<void> {
  const lock = mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock'
  await tx.query({
    name: `properties-lock-${mode}`,
    text: `SELECT count(${lock}(${advisoryLocks.feedProperties('hash')}))
             FROM (SELECT DISTINCT hashtext(id) & ${BUCKETS - 1} AS hash FROM unnest(${bulkColumn(1, 'text')}) id ORDER BY 1) ordered`,
    values: [bulkValue(propertyIds)],
  })
}
