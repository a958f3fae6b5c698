import { readPageLimit, readParameter, readPropertyId } from '@connectivity/contracts/query-parameters'
import { queryOf } from '@connectivity/contracts/request-target'
import { readStampParameter } from './stamp-parameter.js'

/** The parameters of GET /reservations, checked. */
export interface PageQuery {
  propertyId: string
  limit: number
  /** Lower bound on `updated_at`, ms, inclusive; null when not given. */
  updatedSince: number | null
  cursor: string | null
}

/**
 * @param target raw request target
 * @throws ServiceError `invalid_request` naming the first parameter that is wrong
 */
export function parsePageQuery(target: string): PageQuery {
  const query = new URLSearchParams(queryOf(target))
  return {
    propertyId: readPropertyId(query),
    limit: readPageLimit(query),
    updatedSince: readStampParameter(query, 'updated_since'),
    cursor: readParameter(query, 'cursor'),
  }
}
