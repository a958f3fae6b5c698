import { readPageLimit, readParameter, readConnectionId } from '@connectivity/contracts/query-parameters'
import { queryOf } from '@connectivity/contracts/request-target'
import { readWait } from '@connectivity/contracts/waiting'
import { readStampParameter } from './stamp-parameter.js'

/** The parameters of GET /reservations, checked. */
export interface PageQuery {
  connectionId: string
  limit: number
  /** Lower bound on `updated_at`, ms, inclusive; null when not given. */
  updatedSince: number | null
  cursor: string | null
}

/**
 * Reads the query. The gateway applies `wait`; it is only checked here.
 * @param target raw request target
 * @throws ServiceError `invalid_request` naming the first invalid parameter
 */
export function parsePageQuery(target: string): PageQuery {
  const query = new URLSearchParams(queryOf(target))
  readWait(query)
  return {
    connectionId: readConnectionId(query),
    limit: readPageLimit(query),
    updatedSince: readStampParameter(query, 'updated_since'),
    cursor: readParameter(query, 'cursor'),
  }
}
