import { invalidParameter } from '@connectivity/contracts/errors'
import { readConnectionId, readParameter, readTogether } from '@connectivity/contracts/query-parameters'
import { isCalendarDate } from '@connectivity/contracts/time'
import { dayOf } from '../calendar/calendar.js'

/** Most days of one call. */
const MAX_DAYS = 92

/** The parameters of GET /ari. */
export interface StateQuery {
  connectionId: string
  dateFrom: string
  /** Inclusive. */
  dateTo: string
  /** null: all rooms. */
  externalRoomId: string | null
  /** null: all rate plans. */
  externalRatePlanId: string | null
}

/**
 * @param query the raw query without `?`
 * @throws ServiceError 400 `invalid_request` naming every invalid parameter
 */
export function readStateQuery(query: string): StateQuery {
  const parameters = new URLSearchParams(query)
  const read: StateQuery = readTogether({
    connectionId: () => readConnectionId(parameters),
    dateFrom: () => dateIn(parameters, 'date_from'),
    dateTo: () => dateIn(parameters, 'date_to'),
    externalRoomId: () => readParameter(parameters, 'external_room_id'),
    externalRatePlanId: () => readParameter(parameters, 'external_rate_plan_id'),
  })
  const { dateFrom, dateTo } = read
  const days = dayOf(dateTo) - dayOf(dateFrom) + 1
  if (days < 1) throw invalidParameter('date_to', 'inverted', 'date_to must not be before date_from.')
  if (days > MAX_DAYS) {
    const message = `These are ${days} days; ask for at most ${MAX_DAYS} at once, both ends included.`
    throw invalidParameter('date_to', 'too_long', message)
  }
  return read
}

function dateIn(parameters: URLSearchParams, name: string): string {
  const value = readParameter(parameters, name)
  if (value === null)
    throw invalidParameter(name, 'missing', `Add ${name}: a calendar date of the property, YYYY-MM-DD.`)
  if (isCalendarDate(value)) return value
  throw invalidParameter(name, 'invalid_value', `${name} must be a calendar date, YYYY-MM-DD.`)
}
