import { invalidParameter } from '@connectivity/contracts/errors'
import { readPageLimit, readParameter, readConnectionId } from '@connectivity/contracts/query-parameters'
import { queryOf } from '@connectivity/contracts/request-target'
import { parseTimestamp } from '@connectivity/contracts/time'
import { readWait } from '@connectivity/contracts/waiting'

/** The parameters of GET /reservations, checked. */
export interface PageQuery {
  connectionId: string
  limit: number
  /** Lower bound on `updated_at`, ms, inclusive; null when not given. */
  updatedSince: number | null
  cursor: string | null
}

const DATE_WITH_SPACE = /^\d{4}-\d{2}-\d{2}T[\d:.]+ \d{2}:\d{2}$/

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
 * Reads the query. The gateway applies `wait`; it is only checked here.
 * @param target raw request target
 * @throws ServiceError `invalid_request` naming the first parameter that is wrong
 */
export function parsePageQuery(target: string): PageQuery {
  const query = new URLSearchParams(queryOf(target))
  readWait(query)
  return {
    connectionId: readConnectionId(query),
    limit: readPageLimit(query),
    updatedSince: readUpdatedSince(readParameter(query, 'updated_since')),
    cursor: readParameter(query, 'cursor'),
  }
}
