import { useBrowserLocation, useSearch } from 'wouter/use-browser-location'

/**
 * The router decodes addresses once, but not every character: it takes ids apart. Doubled, percent signs come out as
 * they were.
 */
const verbatim = (text: string): string => text.replaceAll('%', '%25')

/** The page's path, without any decoding. */
export function useVerbatimPath(): ReturnType<typeof useBrowserLocation> {
  const [path, navigate] = useBrowserLocation()
  return [verbatim(path), navigate]
}

/** The page's query, without any decoding. */
export const useVerbatimSearch = (): string => verbatim(useSearch())

/** The id that a segment of the page's path holds; a segment that is wrongly encoded is the id itself. */
export function idOf(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** Whether a path can hold the id: browsers resolve segments of dots, so that another resource would be asked for. */
export const fitsPath = (id: string): boolean => id !== '.' && id !== '..'
