import { invalidParameter, ServiceError } from '@connectivity/contracts/errors'
import { readPageLimit, readParameter } from '@connectivity/contracts/query-parameters'
import { type Pagination, SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import { queryOf } from '@connectivity/contracts/request-target'
import type { FastifyRequest } from 'fastify'
import { isId } from '../text/ids.js'

/** The requested part of a list. */
export interface PageRequest {
  limit: number
  /** Place of the last item of the previous page, its id in most lists; null for the first page. */
  after: string | null
}

const encode = (place: string): string => Buffer.from(place, 'utf8').toString('base64url')

function readCursor(query: string, isPlace: (text: string) => boolean): string | null {
  const text = readParameter(query, 'cursor')
  if (text === null) return null
  const place = Buffer.from(text, 'base64url').toString('utf8')
  if (encode(place) === text && isPlace(place)) return place
  throw new ServiceError('invalid_cursor', 'The cursor is damaged; pass next_cursor as it came, or start without one.')
}

/**
 * Reads `limit` and `cursor`.
 * @param isPlace form of the list's places
 * @throws ServiceError 400 `invalid_request` or `invalid_cursor`
 */
export function readPage({ originalUrl }: FastifyRequest, isPlace = isId): PageRequest {
  const query = queryOf(originalUrl)
  return { limit: readPageLimit(query), after: readCursor(query, isPlace) }
}

/** @returns the named filters that the request gives */
export function readFilters<N extends string>(
  { originalUrl }: FastifyRequest,
  ...names: N[]
): Partial<Record<N, string>> {
  const query = queryOf(originalUrl)
  const given = names.map((name) => [name, readParameter(query, name)] as const).filter(([, value]) => value !== null)
  return Object.fromEntries(given) as Partial<Record<N, string>>
}

/** Whether a filter is switched on; absent means false. @throws ServiceError 400 unless it is `true` or `false` */
export function readSwitch({ originalUrl }: FastifyRequest, name: string): boolean {
  const text = readParameter(queryOf(originalUrl), name)
  if (text === null || text === 'false') return false
  if (text === 'true') return true
  throw invalidParameter(name, 'invalid_value', `${name} must be true or false.`)
}

/**
 * The answer to a list call.
 * @param rows one more than the limit when there are more, unless `hasMore` says so
 */
export function pageOf<T>(
  noun: string,
  rows: readonly T[],
  { limit }: PageRequest,
  placeOf: (row: T) => string,
  present: (row: T) => object,
  hasMore = rows.length > limit,
): object {
  const shown = rows.slice(0, limit)
  return {
    schema_version: SCHEMA_VERSION,
    [noun]: shown.map(present),
    pagination: {
      limit,
      count: shown.length,
      has_more: hasMore,
      next_cursor: hasMore ? encode(placeOf(shown.at(-1)!)) : null,
    },
  }
}

/** The pagination of a list that is always answered whole. */
export const wholeList = (count: number): Pagination => ({ limit: count, count, has_more: false, next_cursor: null })
