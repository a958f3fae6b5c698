import { invalidParameter } from '@connectivity/contracts/errors'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { isSent, readParameter, readTogether } from '@connectivity/contracts/query-parameters'
import { authMethods, requestFilters } from '@connectivity/contracts/request-log'
import { parseTimestamp } from '@connectivity/contracts/time'

/** Parameters that a cursor keeps. */
const filterNames = ['property_id', 'application_id', ...requestFilters] as const
/** Filters as sent. */
export type FilterTexts = Partial<Record<(typeof filterNames)[number], string>>

/** Conditions on the listed requests; absent ones do not restrict the list. */
export interface RequestFilter {
  connectionId?: string
  applicationId?: string
  /** Earliest time, inclusive; ms. */
  since?: number
  /** Latest time, exclusive; ms. */
  until?: number
  /** First and last status. */
  status?: [from: number, to: number]
  code?: string
  method?: string
  /** Paths that match: the filter's text, and the base path followed by it. */
  paths?: string[]
  correlationId?: string
  authMethod?: string
}

/** The filters of a query: as sent, and parsed. */
export interface GivenFilters {
  texts: FilterTexts
  filter: RequestFilter
}

/**
 * Reads the filters of a query.
 * @param allowed names of filters that the call takes
 * @throws ServiceError 400 `invalid_request` with the details of every faulty one
 */
export function readFilter(parameters: URLSearchParams, allowed: readonly string[]): GivenFilters {
  const sent = filterNames.filter((name) => allowed.includes(name) && isSent(parameters, name))
  const read = readEach(sent, (name) => {
    const text = readParameter(parameters, name)!
    return { text, part: readers[name](text) }
  })
  const texts = Object.fromEntries(Object.entries(read).map(([name, { text }]) => [name, text])) as FilterTexts
  return { texts, filter: Object.assign({}, ...Object.values(read).map(({ part }) => part)) as RequestFilter }
}

/** @throws ServiceError 400 `invalid_request` with the details of every name that `read` refuses */
const readEach = <Name extends string, Value>(names: readonly Name[], read: (name: Name) => Value) =>
  readTogether<Record<string, Value>>(Object.fromEntries(names.map((name) => [name, () => read(name)])))

/** Whether the filters sent with a cursor equal the cursor's own. */
export const agrees = (kept: FilterTexts, given: FilterTexts): boolean =>
  filterNames.every((name) => given[name] === undefined || given[name] === kept[name])

/** Parses the text of each filter. */
const readers: { [N in keyof Required<FilterTexts>]: (text: string) => RequestFilter } = {
  property_id: (text) => ({ connectionId: text }),
  application_id: (text) => ({ applicationId: text }),
  since: (text) => ({ since: time('since', text) }),
  until: (text) => ({ until: time('until', text) }),
  status: (text) => ({ status: statusRange(text) }),
  code: (text) => ({ code: short('code', text) }),
  method: (text) => ({ method: short('method', text).toUpperCase() }),
  path: (text) => ({ paths: pathsOf(text) }),
  correlation_id: (text) => ({ correlationId: short('correlation_id', text) }),
  auth_method: (text) => ({ authMethod: authMethod(text) }),
}

/** @throws ServiceError 400 `invalid_request` for a text that its filter does not take */
export const filterFrom = (texts: FilterTexts): RequestFilter =>
  Object.assign(
    {},
    ...Object.values(readEach(Object.keys(texts) as (keyof FilterTexts)[], (name) => readers[name](texts[name]!))),
  ) as RequestFilter

function time(name: string, text: string): number {
  const parsed = parseTimestamp(text)
  if (parsed !== null) return parsed
  const message = `${name} must be an ISO 8601 timestamp with seconds and zone, for example 2026-11-20T10:15:30.123Z; write + as %2B.`
  throw invalidParameter(name, 'malformed', message)
}

function statusRange(text: string): [number, number] {
  if (/^[1-5]\d\d$/.test(text)) return [Number(text), Number(text)]
  if (/^[1-5]xx$/i.test(text)) return [Number(text[0]) * 100, Number(text[0]) * 100 + 99]
  throw invalidParameter('status', 'malformed', 'status must be a number such as 404, or a class such as 4xx.')
}

/** Longest text that a filter compares, bytes: the cursor keeps them all. */
const LONGEST = { path: 256, other: 128 }

function short(name: string, text: string, longest = LONGEST.other): string {
  if (Buffer.byteLength(text) <= longest) return text
  throw invalidParameter(name, 'too_long', `${name} must not be longer than ${longest} bytes here.`)
}

function pathsOf(text: string): string[] {
  const path = short('path', text, LONGEST.path)
  return [path, BASE_PATH + path]
}

function authMethod(text: string): string {
  if ((authMethods as readonly string[]).includes(text)) return text
  throw invalidParameter('auth_method', 'unknown_value', `auth_method must be one of ${authMethods.join(', ')}.`)
}
