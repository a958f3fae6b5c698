import {
  overviewNeeds as needs,
  type OverviewNeed as Need,
  type OverviewRecord,
} from '@connectivity/contracts/operators-records'
import { timestampOf } from '@connectivity/contracts/time'
import type { Facts } from './facts.client.js'
import type { ConnectionOverview, Needing } from './overview.store.js'

const notKnown: Required<Facts> = {
  lag_ms: null,
  processed_to: null,
  waiting: null,
  at_risk: null,
  unresolved: null,
  last_proven_at: null,
  callback_state: null,
  failed: null,
  last_error: null,
  unacknowledged: null,
  dead_letters: null,
}

/**
 * A connection in the overview.
 * @param known facts of other services
 */
export function presentOverview(connection: ConnectionOverview, needing: Needing, known: Facts): OverviewRecord {
  const facts = { ...notKnown, ...known }
  const { lag_ms, processed_to, waiting, at_risk, unresolved, last_proven_at } = facts
  const [last_change_at, last_polled_at] = [
    timestampOf(connection.last_change_at),
    timestampOf(connection.last_polled_at),
  ]
  return {
    property_id: connection.connection_id,
    application_id: connection.application_id,
    application_name: connection.application_name,
    property_name: connection.property_name,
    external_property_id: connection.external_property_id,
    environment: connection.environment,
    state: connection.state,
    rank: connection.rank,
    needs: needsOf(connection, needing),
    feed: { lag_ms, last_change_at, last_polled_at, processed_to, waiting, at_risk, unresolved, last_proven_at },
    callback: { state: facts.callback_state, failed: facts.failed, last_error: facts.last_error },
    unacknowledged: facts.unacknowledged,
    dead_letters: facts.dead_letters,
  }
}

/** A closed connection needs nothing: no action can change it. */
function needsOf(
  { connection_id, source_property_id, state, is_silent }: ConnectionOverview,
  needing: Needing,
): Need[] {
  if (state === 'closed') return []
  const isNeeding = (need: Need): boolean => {
    if (need === 'silent') return is_silent
    const keys = needing.get(need)!
    return keys.has(connection_id) || (need === 'dead_letters' && keys.has(source_property_id))
  }
  return needs.filter(isNeeding)
}
