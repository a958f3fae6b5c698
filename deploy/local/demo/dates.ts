// Dates as YYYY-MM-DD.
const DAY = 86_400_000

/** The date some days after another. */
export const addDays = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * DAY).toISOString().slice(0, 10)

/** The date some days from now, in UTC. */
export const dateIn = (days: number): string => addDays(new Date().toISOString().slice(0, 10), days)
