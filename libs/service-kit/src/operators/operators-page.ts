import { hash } from 'node:crypto'
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
  /** Makes the cursor of the next page. */
  cursorAfter: (place: string) => string
}

const CHECK_BYTES = 8

/**
 * A cursor of a list: the beginning of a hash of list, filters and place, then the place. Operators may read every
 * item, so the hash has no key: it only detects damaged cursors and cursors of other lists.
 */
export function cursorIn(list: string, filters: object, place: string): string {
  const check = hash('sha256', JSON.stringify([list, filters, place]), 'buffer').subarray(0, CHECK_BYTES)
  return Buffer.concat([check, Buffer.from(place)]).toString('base64url')
}

/**
 * Reads `limit` and `cursor`.
 * @param list path of the list below `/ops/v1`
 * @param filters filters of the request; those of a cursor must be the same
 * @param isPlace form of the list's places
 * @throws ServiceError 400 `invalid_request` or `invalid_cursor`
 */
export function readPage(
  { originalUrl }: FastifyRequest,
  list: string,
  filters: object = {},
  isPlace = isId,
): PageRequest {
  const query = queryOf(originalUrl)
  const limit = readPageLimit(query)
  const cursor = readParameter(query, 'cursor')
  const cursorAfter = (place: string) => cursorIn(list, filters, place)
  if (cursor === null) return { limit, after: null, cursorAfter }
  const after = Buffer.from(cursor, 'base64url').subarray(CHECK_BYTES).toString()
  if (cursorAfter(after) === cursor && isPlace(after)) return { limit, after, cursorAfter }
  throw new ServiceError(
    'invalid_cursor',
    'The cursor is damaged or belongs to another list or other filters; pass next_cursor as it came with the filters of its list, or start without one.',
  )
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
  { limit, cursorAfter }: PageRequest,
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
      next_cursor: hasMore ? cursorAfter(placeOf(shown.at(-1)!)) : null,
    },
  }
}

/** The pagination of a list that is always answered whole. */
export const wholeList = (count: number): Pagination => ({ limit: count, count, has_more: false, next_cursor: null })
