import { createHash } from 'node:crypto'
import { invalidParameter } from '@connectivity/contracts/errors'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { checkWord, isSent, readParameter, readTogether } from '@connectivity/contracts/query-parameters'
import { authMethods, requestFilters } from '@connectivity/contracts/request-log'
import { parseBound } from '@connectivity/contracts/time'

/** Parameters that a cursor keeps. */
const filterNames = ['property_id', 'application_id', ...requestFilters] as const
/** Filters as sent; a long path as its digests. */
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
  /** SHA-256 of the paths that match, instead of `paths`. */
  pathDigests?: Buffer[]
  correlationId?: string
  authMethod?: string
}

/** The filters of a query. */
export interface GivenFilters {
  /** As a cursor keeps them. */
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
    return { text: name === 'path' ? keptPath(text) : text, part: readers[name](text) }
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
  code: (text) => ({ code: text }),
  method: (text) => ({ method: text.toUpperCase() }),
  path: (text) => pathFilter(text),
  correlation_id: (text) => ({ correlationId: text }),
  auth_method: (text) => ({ authMethod: checkWord(text, 'auth_method', authMethods) }),
}

/** @throws ServiceError 400 `invalid_request` for a text that its filter does not take */
export const filterFrom = (texts: FilterTexts): RequestFilter =>
  Object.assign(
    {},
    ...Object.values(readEach(Object.keys(texts) as (keyof FilterTexts)[], (name) => readers[name](texts[name]!))),
  ) as RequestFilter

function time(name: string, text: string): number {
  const parsed = parseBound(text)
  if (parsed !== null) return parsed
  const message = `${name} must be an ISO 8601 timestamp with seconds and zone, from 1970 on, for example 2026-11-20T10:15:30.123Z; write + as %2B.`
  throw invalidParameter(name, 'malformed', message)
}

function statusRange(text: string): [number, number] {
  if (/^[1-5]\d\d$/.test(text)) return [Number(text), Number(text)]
  if (/^[1-5]xx$/i.test(text)) return [Number(text[0]) * 100, Number(text[0]) * 100 + 99]
  throw invalidParameter('status', 'malformed', 'status must be a number such as 404, or a class such as 4xx.')
}

/** Longest path that a cursor keeps as text, bytes: a cursor is a parameter, too, and must not exceed 1 KiB. */
const MAX_KEPT_PATH = 128
const DIGESTS = /^#[\w-]{86}$/
const DIGEST_BYTES = 32

const pathsOf = (path: string): string[] => [path, BASE_PATH + path]

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()

/** The path, or `#` and the digests of the paths that match when it is long. */
function keptPath(path: string): string {
  if (Buffer.byteLength(path) <= MAX_KEPT_PATH) return path
  return `#${Buffer.concat(pathsOf(path).map(sha256)).toString('base64url')}`
}

/** @param text a path, or what `keptPath` makes of one; no path in the log begins with `#` */
function pathFilter(text: string): RequestFilter {
  if (!DIGESTS.test(text)) return { paths: pathsOf(text) }
  const digests = Buffer.from(text.slice(1), 'base64url')
  return { pathDigests: [digests.subarray(0, DIGEST_BYTES), digests.subarray(DIGEST_BYTES)] }
}
