/** Whether a text is a month, such as `2026-12`. */
export const isMonth = (text: string): boolean => /^\d{4}-(0[1-9]|1[0-2])$/.test(text)

const calendarOf = (timeZone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })

/** Today's date at the property, such as `2026-12-01`; in UTC where the browser does not know the property's zone. */
export function todayAt(timezone: string | null): string {
  try {
    return calendarOf(timezone ?? 'UTC').format(new Date())
  } catch {
    return calendarOf('UTC').format(new Date())
  }
}

/** The month of a date. */
export const monthOf = (date: string): string => date.slice(0, 'YYYY-MM'.length)

const dateOf = (month: string, months = 0, day = 1): Date =>
  new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)) - 1 + months, day))

/** The month a number of months later. */
export const shifted = (month: string, by: number): string => dateOf(month, by).toISOString().slice(0, 7)

/** Every day of a month, such as `2026-12-01`. */
export function daysOf(month: string): string[] {
  const count = dateOf(month, 1, 0).getUTCDate()
  return Array.from({ length: count }, (_, index) => `${month}-${String(index + 1).padStart(2, '0')}`)
}

/** Name of a month, such as `December 2026`. */
export const monthName = (month: string): string =>
  new Intl.DateTimeFormat('en', { timeZone: 'UTC', month: 'long', year: 'numeric' }).format(dateOf(month))
