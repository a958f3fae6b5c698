import { invalidParameter } from '@connectivity/contracts/errors'
import { readParameter } from '@connectivity/contracts/query-parameters'
import { queryOf } from '@connectivity/contracts/request-target'
import { parseTimestamp } from '@connectivity/contracts/time'

/** The parameters of GET /reservations, checked. */
export interface PageQuery {
  propertyId: string
  limit: number
  /** Lower bound on `updated_at`, ms, inclusive; null when not given. */
  updatedSince: number | null
  cursor: string | null
}

const LIMIT = /^[1-9][0-9]{0,2}$/
const MAX_LIMIT = 100
const DEFAULT_LIMIT = 50
const DATE_WITH_SPACE = /^\d{4}-\d{2}-\d{2}T[\d:.]+ \d{2}:\d{2}$/

function readLimit(text: string | null): number {
  if (text === null) return DEFAULT_LIMIT
  const limit = LIMIT.test(text) ? Number(text) : Infinity
  if (limit > MAX_LIMIT) throw invalidParameter('limit', 'out_of_range', 'limit must be a whole number from 1 to 100.')
  return limit
}

function readUpdatedSince(text: string | null): number | null {
  if (text === null) return null
  const time = parseTimestamp(text)
  if (time !== null && time >= 0) return time
  const message = DATE_WITH_SPACE.test(text)
    ? 'updated_since holds a space where a + was meant: write the + of the zone as %2B, or use Z.'
    : 'updated_since must be an ISO 8601 timestamp with seconds and zone, for example 2026-11-20T10:15:30.123Z.'
  throw invalidParameter('updated_since', 'malformed', message)
}

/**
 * @param query taken apart
 * @throws ServiceError `invalid_request` when it is absent or malformed
 */
function propertyIdOf(query: URLSearchParams): string {
  const propertyId = readParameter(query, 'property_id')
  if (propertyId !== null) return propertyId
  const hint = 'The query parameter property_id is required: use an id from GET /properties.'
  throw invalidParameter('property_id', 'missing', hint)
}

/**
 * @param target raw request target
 * @throws ServiceError `invalid_request` when it is absent or malformed
 */
export const readPropertyId = (target: string): string => propertyIdOf(new URLSearchParams(queryOf(target)))

/**
 * @param target raw request target
 * @throws ServiceError `invalid_request` naming the first parameter that is wrong
 */
export function parsePageQuery(target: string): PageQuery {
  const query = new URLSearchParams(queryOf(target))
  return {
    propertyId: propertyIdOf(query),
    limit: readLimit(readParameter(query, 'limit')),
    updatedSince: readUpdatedSince(readParameter(query, 'updated_since')),
    cursor: readParameter(query, 'cursor'),
  }
}
