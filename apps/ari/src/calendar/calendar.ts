import { localDate } from '@connectivity/contracts/local-date'

/** A calendar day as the number of days since 1970-01-01, in any time zone. */
export type Day = number

const MILLISECONDS = 86_400_000

/** @param date a real day, `YYYY-MM-DD` */
export const dayOf = (date: string): Day => Date.parse(`${date}T00:00:00Z`) / MILLISECONDS

/** `YYYY-MM-DD`. */
export const dateOf = (day: Day): string => new Date(day * MILLISECONDS).toISOString().slice(0, 10)

/** 0 is Monday: 1970-01-01 was a Thursday. */
export const weekdayOf = (day: Day): number => (((day + 3) % 7) + 7) % 7

/**
 * Returns the current day of the property's calendar.
 * @param timezone IANA name; an unknown one counts as UTC
 * @param now milliseconds since the epoch
 */
export const today = (timezone: string, now: number): Day => dayOf(localDate(timezone, now))
