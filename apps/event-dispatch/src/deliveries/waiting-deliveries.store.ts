import { Injectable } from '@nestjs/common'
import { announceOnCommit, type Transaction } from '@connectivity/database/database'

/** Name under which a commit announces that deliveries may have become due. */
export const DELIVERIES_DUE = 'deliveries due'

/** What happens to the waiting deliveries of a callback that changes. Call it after the callback's row is locked. */
@Injectable()
export class WaitingDeliveriesStore {
  /**
   * Lets everything that waits go out now, in order per reservation: after a resume, or to a new address. One goes ahead
   * alone (the breaker is half open), the one that a 410 refused before all others.
   */
  async release(tx: Transaction, connectionId: string): Promise<void> {
    await tx.query({
      name: 'waiting-release-lanes',
      text: 'UPDATE lane SET due_at = now() WHERE connection_id = $1 AND due_at > now()',
      values: [connectionId],
    })
    await tx.query({
      name: 'waiting-release-callback',
      text: `UPDATE callback SET failing_since = NULL, failures_in_row = 0, breaker_opened = 0, breaker_open_until = now(),
                    released_at = clock_timestamp(), revision = revision + 1
              WHERE connection_id = $1`,
      values: [connectionId],
    })
    announceOnCommit(tx, DELIVERIES_DUE)
  }

  /** Ends everything that waits, because there is no callback any more; a later one starts with later events. */
  async end(tx: Transaction, connectionId: string): Promise<void> {
    await tx.query({
      name: 'waiting-end-deliveries',
      text: `UPDATE delivery SET state = 'not_configured' WHERE connection_id = $1 AND state = 'pending'`,
      values: [connectionId],
    })
    await tx.query({
      name: 'waiting-end-lanes',
      text: 'DELETE FROM lane WHERE connection_id = $1',
      values: [connectionId],
    })
  }
}
