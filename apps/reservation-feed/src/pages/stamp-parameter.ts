import { invalidParameter } from '@connectivity/contracts/errors'
import { readParameter } from '@connectivity/contracts/query-parameters'

const DATE_WITH_SPACE = /^\d{4}-\d{2}-\d{2}T[\d:.]+ \d{2}:\d{2}$/

/**
 * The bound on stamps that a query gives.
 * @param parse returns null unless the text is a timestamp with seconds and zone, from 1970 to 9999
 * @returns null when the parameter is absent
 * @throws ServiceError 400 `invalid_request` when `parse` returns null
 */
export function readStampParameter<T>(
  query: URLSearchParams,
  name: string,
  parse: (text: string) => T | null,
): T | null {
  const text = readParameter(query, name)
  if (text === null) return null
  const bound = parse(text)
  if (bound !== null) return bound
  const message = DATE_WITH_SPACE.test(text)
    ? `${name} holds a space where a + was meant: write the + of the zone as %2B, or use Z.`
    : `${name} must be an ISO 8601 timestamp with seconds and zone, for example 2026-11-20T10:15:30.123Z.`
  throw invalidParameter(name, 'malformed', message)
}
