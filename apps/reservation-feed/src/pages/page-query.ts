import { readConnectionId, readPageLimit, readParameter, readTogether } from '@connectivity/contracts/query-parameters'
import { queryOf } from '@connectivity/contracts/request-target'
import { readWait } from '@connectivity/contracts/waiting'
import { readStampParameter } from './stamp-parameter.js'

/** The parameters of GET /reservations, checked. */
export interface PageQuery {
  connectionId: string
  limit: number
  /** Lower bound on `updated_at`, ms, inclusive; null when not given. */
  updatedSince: number | null
  /** Seconds to wait for a change; only checked here, the gateway waits. Null when not given. */
  wait: number | null
  cursor: string | null
}

/**
 * Reads the query.
 * @param target raw request target
 * @throws ServiceError `invalid_request` naming every invalid parameter
 */
export function parsePageQuery(target: string): PageQuery {
  const query = new URLSearchParams(queryOf(target))
  return readTogether({
    connectionId: () => readConnectionId(query),
    updatedSince: () => readStampParameter(query, 'updated_since'),
    limit: () => readPageLimit(query),
    wait: () => readWait(query),
    cursor: () => readParameter(query, 'cursor'),
  })
}
