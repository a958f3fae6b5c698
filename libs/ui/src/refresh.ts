/** State of a list's query, as far as its refresh depends on it. */
interface Shown {
  state: { data?: { pages: readonly unknown[] } | undefined }
}

/**
 * Refetch interval of a list, ms: grows with the pages that are shown, so that more pages cost no more requests.
 * @param interval of one page, ms
 */
export const perPage =
  (interval: number) =>
  ({ state: { data } }: Shown): number =>
    interval * (data?.pages.length ?? 1)
