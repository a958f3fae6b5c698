import { type ErrorDetail, ServiceError } from '@connectivity/contracts/errors'
import type { EventsReplay } from '@connectivity/contracts/event-index'
import type { ReplaySelection } from '../backlog/backlog-change.store.js'

/** Ids of ours; anything else is unknown without asking. */
const EVENT_ID = /^[A-Za-z0-9_]+$/

/** @throws ServiceError 400 unless there are either ids or both ends of a range */
export function replaySelection({ event_ids, ...range }: EventsReplay): ReplaySelection {
  if (event_ids === undefined) return rangeOf(range)
  for (const name of ['from_sequence', 'to_sequence'] as const) {
    if (range[name] !== undefined) {
      throw refused(`/${name}`, `${name} must not stand beside event_ids; send ids or a range`)
    }
  }
  return { eventIds: event_ids.filter((id) => EVENT_ID.test(id)) }
}

function rangeOf({ from_sequence: from, to_sequence: to }: Partial<EventsReplay>): ReplaySelection {
  if (from === undefined && to === undefined) throw refused('', 'send event_ids, or from_sequence and to_sequence')
  if (from === undefined) throw refused('/from_sequence', 'from_sequence is missing', 'missing')
  if (to === undefined) throw refused('/to_sequence', 'to_sequence is missing', 'missing')
  if (to < from) throw refused('/to_sequence', 'to_sequence must not be below from_sequence')
  return { from, to }
}

function refused(pointer: string, problem: string, code = 'invalid_value'): ServiceError {
  const detail: ErrorDetail = { pointer, code, message: `${problem}.` }
  return new ServiceError('invalid_request', `The body is not accepted: ${problem}.`, { details: [detail] })
}
