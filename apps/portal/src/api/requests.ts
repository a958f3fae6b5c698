import { answerOf, useFilters } from '@connectivity/ui'
import { useInfiniteQuery } from '@tanstack/react-query'
import { api, type Schemas } from './client.ts'
import type { paths } from './description.ts'

/** A request of the application, as the log shows it. */
export type LoggedRequest = Schemas['LoggedRequest']

/** Entries that are read at once, also those that are not shown. */
const PAGE = 100
/** Most pages that are read in a row while they hold nothing to show. */
const MOST_LOOKS = 5

const filters = [
  'property_id',
  'status',
  'code',
  'method',
  'path',
  'correlation_id',
  'auth_method',
  'since',
  'until',
] as const

type Given = ReturnType<typeof useFilters<(typeof filters)[number]>>
type Asked = NonNullable<paths['/requests']['get']['parameters']['query']>

/** Whether the portal has sent the request; a sign-in has no session yet. */
const isOwn = ({ auth_method, path }: LoggedRequest): boolean =>
  auth_method === 'portal' || path.endsWith('/portal/session')

interface Found {
  requests: LoggedRequest[]
  /** Time of the last entry that was read, also of one that is not shown; null without any. */
  lookedBackTo: string | null
  next: string | null
}

/** Whether the portal's own requests are left out: if no filter names an authentication method or correlation id. */
const hidesOwn = ({ auth_method, correlation_id }: Given): boolean =>
  auth_method === undefined && correlation_id === undefined

/** The requests to show. The interface has no filter that excludes the portal's own. */
const shownOf = (given: Given, requests: LoggedRequest[]): LoggedRequest[] =>
  hidesOwn(given) ? requests.filter((request) => !isOwn(request)) : requests

/** Reads on until there is a request to show, a few pages at most. */
async function readOn(given: Given, from: string | null, looks = MOST_LOOKS): Promise<Found> {
  const query = { ...(given as Asked), limit: PAGE, ...(from !== null && { cursor: from }) }
  const { requests, pagination } = await answerOf(api.GET('/requests', { params: { query } }))
  const next = pagination.next_cursor
  const shown = shownOf(given, requests)
  if (shown.length === 0 && next !== null && looks > 1) return readOn(given, next, looks - 1)
  return { requests: shown, lookedBackTo: requests.at(-1)?.at ?? null, next }
}

/**
 * The log of the application's requests that fit the filters of the address, the newest first, and whether the portal's
 * own are left out.
 */
export function useRequests() {
  const given = useFilters(filters)
  const log = useInfiniteQuery({
    queryKey: ['requests', given],
    queryFn: ({ pageParam }) => readOn(given, pageParam),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })
  return { log, hidesOwn: hidesOwn(given) }
}
