import { invalidParameter, ServiceError } from '@connectivity/contracts/errors'
import {
  type DeliveryState,
  deliveryStates,
  type EventFilter,
  eventFilters,
  type EventOrder,
  eventOrders,
} from '@connectivity/contracts/event-index'
import {
  checkWord,
  readConnectionId,
  readPageLimit,
  readParameter,
  readTogether,
} from '@connectivity/contracts/query-parameters'
import { queryOf } from '@connectivity/contracts/request-target'
import { readWait } from '@connectivity/contracts/waiting'
import type { IndexHead } from './event-index.store.js'

/** The parameters of GET /reservations/events, checked. */
export interface EventQuery {
  connectionId: string
  limit: number
  /** null if not given: the cursor's filter applies, or `all` without a cursor. */
  status: EventFilter | null
  /** null if not given: the cursor's state applies, or any without a cursor. */
  state: DeliveryState | null
  /** null if not given: the cursor's order applies, or `asc` without a cursor. */
  order: EventOrder | null
  /** Only events after this sequence. */
  afterSequence: number | null
  /** Seconds to wait for a change; only checked here, the gateway waits. Null when not given. */
  wait: number | null
  cursor: string | null
}

const SEQUENCE = /^(0|[1-9]\d{0,15})$/

function readAfterSequence(text: string | null): number | null {
  if (text === null) return null
  if (SEQUENCE.test(text) && Number.isSafeInteger(Number(text))) return Number(text)
  throw invalidParameter('after_sequence', 'malformed', "after_sequence must be an event's sequence, a whole number.")
}

/**
 * Reads the query.
 * @param target raw request target
 * @throws ServiceError `invalid_request` naming every invalid parameter
 */
export function parseEventQuery(target: string): EventQuery {
  const query = new URLSearchParams(queryOf(target))
  return readTogether({
    connectionId: () => readConnectionId(query),
    limit: () => readPageLimit(query),
    status: () => checkWord(readParameter(query, 'status'), 'status', eventFilters),
    state: () => checkWord(readParameter(query, 'state'), 'state', deliveryStates),
    order: () => checkWord(readParameter(query, 'order'), 'order', eventOrders),
    afterSequence: () => readAfterSequence(readParameter(query, 'after_sequence')),
    wait: () => readWait(query),
    cursor: () => readParameter(query, 'cursor'),
  })
}

/** Refuses a sequence whose next events were dropped. Readers without `after_sequence` are not affected. */
export function checkNotDropped(
  { afterSequence }: Pick<EventQuery, 'afterSequence'>,
  { droppedSequence }: Pick<IndexHead, 'droppedSequence'>,
): void {
  if (afterSequence === null || afterSequence >= droppedSequence) return
  const message =
    'Events after this sequence were dropped for their age; pull GET /reservations from your checkpoint, ' +
    `then go on with after_sequence=${droppedSequence}.`
  throw new ServiceError('events_expired', message)
}
