import type { CallbackAnswer } from '@connectivity/contracts/callbacks'
import type { CallbackRecord } from '@connectivity/contracts/operators-records'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import { timestampOf } from '@connectivity/contracts/time'
import type { Callback } from './callback.js'
import type { CallbackHealth, DeliveryCounts } from './callback-health.store.js'

/**
 * The callback as its partner sees it.
 * @param secret only if it was just created
 * @param counts where the state of its deliveries is shown
 */
export const presentCallback = (
  callback: Callback,
  { secret, counts }: { secret?: string | undefined; counts?: DeliveryCounts } = {},
): CallbackAnswer => ({
  schema_version: SCHEMA_VERSION,
  property_id: callback.connectionId,
  url: callback.url,
  events: callback.events,
  payload: callback.payload,
  state: callback.state,
  suspended_at: timestampOf(callback.suspendedAt),
  ...(counts && { ...counts, last_success_at: timestampOf(counts.last_success_at) }),
  ...(secret !== undefined && { secret }),
})

/** The callback as operators see it. */
export const presentToOperators = (row: CallbackHealth): CallbackRecord => ({
  property_id: row.connection_id,
  url: row.url,
  events: row.events,
  payload: row.payload,
  state: row.state,
  suspended_at: timestampOf(row.suspended_at),
  pending: row.pending,
  held: row.state === 'active' && row.is_live ? 0 : row.pending,
  failed: row.failed,
  last_success_at: timestampOf(row.last_success_at),
  failing_since: timestampOf(row.failing_since),
  last_failure: failureOf(row),
  breaker: breakerOf(row),
  delivered_by: row.delivered_by,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})

function failureOf({ failed_at, failed_status, failed_error, failed_event }: CallbackHealth) {
  const failure = { status: failed_status, error: failed_error, event_id: failed_event! }
  return failed_at && { at: failed_at.toISOString(), ...failure }
}

function breakerOf({ is_open, open_until, failures_in_row }: CallbackHealth): CallbackRecord['breaker'] {
  const closed = open_until === null ? 'closed' : 'half_open'
  return { state: is_open ? 'open' : closed, open_until: timestampOf(open_until), failures_in_row }
}
