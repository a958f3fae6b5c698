const DATE = /^\d{4}-\d{2}-\d{2}$/
const TIMESTAMP =
  /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,9}))?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

const MINUTE = 60_000
const EARLIEST = Date.parse('0000-01-01T00:00:00Z')
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
const FEBRUARY = 2

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)

const daysIn = (year: number, month: number): number =>
  month === FEBRUARY && isLeap(year) ? 29 : (DAYS[month - 1] ?? 0)

/** Whether the text is a real day of the Gregorian calendar, `YYYY-MM-DD`; it has no year 0. */
export function isCalendarDate(text: string): boolean {
  if (!DATE.test(text) || text.startsWith('0000')) return false
  const day = Number(text.slice(8))
  return day >= 1 && day <= daysIn(Number(text.slice(0, 4)), Number(text.slice(5, 7)))
}

function offsetMinutes(zone: string): number {
  if (zone === 'Z') return 0
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6))
  return zone.startsWith('-') ? -minutes : minutes
}

/** Whole milliseconds of the digits behind a second, and the rest in nanoseconds. */
function millisecondsOf(fraction: string): { whole: number; rest: number } {
  const digits = fraction.padEnd(9, '0')
  return { whole: Number(digits.slice(0, 3)), rest: Number(digits.slice(3)) }
}

/**
 * Reads an ISO 8601 timestamp with zone: upper-case `T`, `Z` or `±hh:mm`, seconds given, 0–9 fraction digits.
 * @param finer rounding of a value finer than a millisecond: `up`, at most to the end of the year 9999, keeps a lower
 *   bound exact, `down` an upper one; a time that is shown is rounded down
 * @returns milliseconds since the epoch, negative before 1970; null when unreadable or beyond the year 9999
 */
export function parseTimestamp(text: string, finer: 'up' | 'down' = 'up'): number | null {
  const match = TIMESTAMP.exec(text)
  if (!match || !isCalendarDate(match[1]!)) return null
  const { whole, rest } = millisecondsOf(match[5] ?? '')
  const seconds = Date.parse(`${match[1]}T${match[2]}:${match[3]}:${match[4]}Z`)
  const time = seconds + whole - offsetMinutes(match[6]!) * MINUTE
  if (time < EARLIEST || time > LATEST) return null
  return finer === 'up' ? Math.min(time + Math.sign(rest), LATEST) : time
}

const fromEpoch = (time: number | null): number | null => (time === null || time < 0 ? null : time)

/**
 * Reads a bound of a list: like `parseTimestamp`, rounded up to the millisecond.
 * @returns milliseconds since the epoch; null when unreadable, before 1970 or beyond the year 9999
 */
export const parseBound = (text: string): number | null => fromEpoch(parseTimestamp(text))

/**
 * Reads a checkpoint: like `parseTimestamp`, rounded down to the millisecond.
 * @returns milliseconds since the epoch; null when unreadable, before 1970 or beyond the year 9999
 */
export const parseCheckpoint = (text: string): number | null => fromEpoch(parseTimestamp(text, 'down'))

/** Milliseconds since the epoch as `2026-11-20T10:15:30.123Z`. */
export const formatTimestamp = (milliseconds: number): string => new Date(milliseconds).toISOString()

/** A stored time in an answer. */
export const timestampOf = (time: Date | null): string | null => time?.toISOString() ?? null
