import { invalidParameter } from '@connectivity/contracts/errors'
import { readParameter } from '@connectivity/contracts/query-parameters'
import { parseBound, parseCheckpoint } from '@connectivity/contracts/time'

const DATE_WITH_SPACE = /^\d{4}-\d{2}-\d{2}T[\d:.]+ \d{2}:\d{2}$/

/** Readers of bounds on stamps: lower bounds finer than a millisecond are rounded up, upper ones down. */
const readers = { updated_since: parseBound, checkpoint: parseCheckpoint }

/**
 * The bound on stamps that a query gives, ms.
 * @returns null when it is absent
 * @throws ServiceError 400 `invalid_request` unless it is a timestamp with seconds and zone, from 1970 to 9999
 */
export function readStampParameter(query: URLSearchParams, name: keyof typeof readers): number | null {
  const text = readParameter(query, name)
  if (text === null) return null
  const time = readers[name](text)
  if (time !== null) return time
  const message = DATE_WITH_SPACE.test(text)
    ? `${name} holds a space where a + was meant: write the + of the zone as %2B, or use Z.`
    : `${name} must be an ISO 8601 timestamp with seconds and zone, for example 2026-11-20T10:15:30.123Z.`
  throw invalidParameter(name, 'malformed', message)
}
