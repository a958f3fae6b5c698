import { perPage } from '@connectivity/ui'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useIsPaused } from './reading.tsx'

/** Rows of a page of a list. */
const PAGE = 50

interface Page {
  pagination: { next_cursor: string | null }
}

/** Interval at which facts and each page of a list are read again, ms. */
const REFRESH = 15_000

/** Facts about one thing. */
export const useFacts = <T>(queryKey: readonly unknown[], read: () => Promise<T>) =>
  useQuery({ queryKey, queryFn: read, refetchInterval: REFRESH, enabled: !useIsPaused() })

/**
 * A list, a page at a time.
 * @param read gets the next page
 */
export const usePages = <T extends Page>(
  queryKey: readonly unknown[],
  read: (page: { limit: number; cursor?: string }) => Promise<T>,
) =>
  useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => read({ limit: PAGE, ...(pageParam !== null && { cursor: pageParam }) }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ pagination }) => pagination.next_cursor,
    refetchInterval: perPage(REFRESH),
    enabled: !useIsPaused(),
  })
