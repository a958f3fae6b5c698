const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(timezone: string): Intl.DateTimeFormat {
  const known = formats.get(timezone)
  if (known) return known
  // The Swedish locale writes dates as ISO 8601 does.
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
 * The day of a time zone's calendar at a moment, `YYYY-MM-DD`.
 * @param timezone IANA name; an unknown one counts as UTC: rejecting every date would close the property, and one day
 * more or less at the edges does no harm
 * @param now milliseconds since the epoch
 */
export function localDate(timezone: string, now: number): string {
  try {
    return formatOf(timezone).format(now)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return new Date(now).toISOString().slice(0, 10)
  }
}
