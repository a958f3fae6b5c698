import { invalidParameter } from './errors.js'
import { readParameter } from './query-parameters.js'

/** Longest wait for a change, seconds. */
const LONGEST_WAIT = 25
const SECONDS = /^(?:0|[1-9]\d?)$/

/** Path of a service's stream of changes: one line per notification, with the ids of the changed connections. */
export const CHANGES_PATH = '/internal/changes'
/** Line of that stream when any connection may have changed. */
export const EVERYTHING_CHANGED = '*'
/** Line of that stream, about once a second, while it names every commit so far and nothing waits to be applied. */
export const CURRENT = '='
/**
 * Header of a request that waits: the gateway forwards its answer only if it has news. Named as in 0.1.0,
 * whose feed answers from a copy in memory without it.
 */
export const LOOK_HEADER = 'x-internal-fresh'
/** Value of `LOOK_HEADER`. */
export const ONLY_NEWS = 'only-news'
/** Header of an answer without news, an empty page or a 304, which the gateway may hold back. */
export const NOTHING_NEW_HEADER = 'x-internal-nothing-new'
/** Value of `NOTHING_NEW_HEADER` if the same request gets the same answer until the connection changes. */
export const UNTIL_CHANGE = 'until-change'

/**
 * Reads how long a request wants to wait for a change.
 * @param query raw, without `?`
 * @returns seconds; null without the parameter
 * @throws ServiceError 400 `invalid_request` for anything but 0 to 25 in plain digits
 */
export function readWait(query: string | URLSearchParams): number | null {
  const text = readParameter(query, 'wait')
  if (text === null) return null
  const seconds = secondsIn(text)
  if (seconds !== null) return seconds
  throw invalidParameter('wait', 'out_of_range', `wait must be a whole number of seconds from 0 to ${LONGEST_WAIT}.`)
}

/** Preferences of a header: separated by commas that are not in quoted strings. */
const PREFERENCES = /(?:[^,"]|"[^"]*(?:"|$))+/g
/** One preference, without its parameters. */
const PREFERENCE = /^\s*wait\s*=\s*(?:"([^"]*)"|([^\s";]+))\s*(?:;|$)/i

/**
 * Reads the preference `wait` (RFC 7240).
 * @returns seconds; null when it is absent, unreadable or out of range
 */
export function preferredWait(header: string | undefined): number | null {
  for (const preference of header?.match(PREFERENCES) ?? []) {
    const match = PREFERENCE.exec(preference)
    if (match) return secondsIn(match[1] ?? match[2]!)
  }
  return null
}

function secondsIn(text: string): number | null {
  const seconds = SECONDS.test(text) ? Number(text) : Infinity
  return seconds <= LONGEST_WAIT ? seconds : null
}
