import { readConnectionId, readPageLimit, readParameter, readTogether } from '@connectivity/contracts/query-parameters'
import { queryOf } from '@connectivity/contracts/request-target'
import { parseBound, parseTimestamp } from '@connectivity/contracts/time'
import { readWait } from '@connectivity/contracts/waiting'
import { readStampParameter } from './stamp-parameter.js'

/** A lower bound on stamps. Both sides differ by 1 ms if it is finer than a millisecond, and are equal otherwise. */
interface LowerBound {
  /** First stamp that is not before the bound, ms. */
  from: number
  /** Last stamp that is not after the bound, ms. */
  upTo: number
}

/** The parameters of GET /reservations, checked. */
export interface PageQuery {
  connectionId: string
  limit: number
  /** Inclusive lower bound on `updated_at`; null when not given. */
  updatedSince: LowerBound | null
  /** Seconds to wait for a change; only checked here, the gateway waits. Null when not given. */
  wait: number | null
  cursor: string | null
}

function parseLowerBound(text: string): LowerBound | null {
  const from = parseBound(text)
  return from === null ? null : { from, upTo: Math.max(0, parseTimestamp(text, 'down')!) }
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
    updatedSince: () => readStampParameter(query, 'updated_since', parseLowerBound),
    limit: () => readPageLimit(query),
    wait: () => readWait(query),
    cursor: () => readParameter(query, 'cursor'),
  })
}
