/** A calendar day as the number of days since 1970-01-01, in any time zone. */
export type Day = number

const MILLISECONDS = 86_400_000

/** @param date a real day, `YYYY-MM-DD` */
export const dayOf = (date: string): Day => Date.parse(`${date}T00:00:00Z`) / MILLISECONDS

/** `YYYY-MM-DD`. */
export const dateOf = (day: Day): string => new Date(day * MILLISECONDS).toISOString().slice(0, 10)

/** 0 is Monday: 1970-01-01 was a Thursday. */
export const weekdayOf = (day: Day): number => (((day + 3) % 7) + 7) % 7

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(timezone: string): Intl.DateTimeFormat {
  const known = formats.get(timezone)
  if (known) return known
  // Swedish dates are written as ISO 8601 writes them.
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  formats.set(timezone, format)
  return format
}

/**
 * Returns the current day of the property's calendar.
 * @param timezone IANA name; an unknown one counts as UTC, because refusing every date would close the property, and a
 * day more or less at the edges does no harm
 * @param now milliseconds since the epoch
 */
export function today(timezone: string, now: number): Day {
  try {
    return dayOf(formatOf(timezone).format(now))
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return Math.floor(now / MILLISECONDS)
  }
}
