import { invalidParameter } from '@connectivity/contracts/errors'
import { type EventFilter, eventFilters } from '@connectivity/contracts/event-index'
import { readPageLimit, readParameter, readConnectionId } from '@connectivity/contracts/query-parameters'
import { queryOf } from '@connectivity/contracts/request-target'
import { readWait } from '@connectivity/contracts/waiting'

/** The parameters of GET /reservations/events, checked. */
export interface EventQuery {
  connectionId: string
  limit: number
  /** null if not given: the cursor's filter applies, or `all` without a cursor. */
  status: EventFilter | null
  /** Only events after this sequence. */
  afterSequence: number | null
  cursor: string | null
}

const SEQUENCE = /^(0|[1-9]\d{0,15})$/

function readStatus(text: string | null): EventFilter | null {
  if (text === null || eventFilters.includes(text as EventFilter)) return text as EventFilter | null
  throw invalidParameter('status', 'unknown_value', `status must be one of ${eventFilters.join(', ')}.`)
}

function readAfterSequence(text: string | null): number | null {
  if (text === null) return null
  if (SEQUENCE.test(text) && Number.isSafeInteger(Number(text))) return Number(text)
  throw invalidParameter('after_sequence', 'malformed', "after_sequence must be an event's sequence, a whole number.")
}

/**
 * Reads the query. The gateway applies `wait`; it is only checked here.
 * @param target raw request target
 * @throws ServiceError `invalid_request` naming the first invalid parameter
 */
export function parseEventQuery(target: string): EventQuery {
  const query = new URLSearchParams(queryOf(target))
  readWait(query)
  return {
    connectionId: readConnectionId(query),
    limit: readPageLimit(query),
    status: readStatus(readParameter(query, 'status')),
    afterSequence: readAfterSequence(readParameter(query, 'after_sequence')),
    cursor: readParameter(query, 'cursor'),
  }
}
