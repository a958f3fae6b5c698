import { type AriUpdateWrite, type DayOfWeek, daysOfWeek } from '@connectivity/contracts/ari'
import { dateOf, type Day, dayOf } from '../calendar/calendar.js'
import { DaySet, HORIZON, type Weekdays } from '../calendar/day-set.js'
import type { Fault } from './fault.js'

type Range = Pick<AriUpdateWrite, 'date_from' | 'date_to' | 'days_of_week'>

/**
 * Returns the days of an update.
 * @param pointer of the update
 * @param faults receives the faults of the days; the result is empty then
 */
export function daysOf(update: Range, pointer: string, today: Day, faults: Fault[]): DaySet {
  const before = faults.length
  const [from, to] = [dayOf(update.date_from), dayOf(update.date_to)]
  checkRange(from, to, pointer, today, faults)
  if (update.days_of_week?.length === 0) faults.push(noDay(pointer, 'names no day; leave it out for all days'))
  if (faults.length > before) return DaySet.none(today)
  const days = DaySet.of(today, { from, to, weekdays: bitsOf(update.days_of_week ?? daysOfWeek) })
  if (days.first === null) faults.push(noDay(pointer, 'names no day of this range'))
  return days
}

function checkRange(from: Day, to: Day, pointer: string, today: Day, faults: Fault[]): void {
  const isInverted = to < from
  const [first, last] = isInverted ? ['date_to', 'date_from'] : ['date_from', 'date_to']
  const furthest = today + HORIZON
  if (isInverted) {
    const message = 'date_to is before date_from.'
    faults.push({ pointer: `${pointer}/date_to`, code: 'date_range_inverted', message })
  }
  if (Math.min(from, to) < today) {
    const message = `At the property it is ${dateOf(today)}; days before that cannot be written.`
    faults.push({ pointer: `${pointer}/${first}`, code: 'date_in_past', message })
  }
  if (Math.max(from, to) > furthest) {
    const message = `The last day that can be written is ${dateOf(furthest)}, ${HORIZON} days ahead.`
    faults.push({ pointer: `${pointer}/${last}`, code: 'date_beyond_horizon', message })
  }
}

const bitsOf = (names: readonly DayOfWeek[]): Weekdays =>
  names.reduce((bits, name) => bits | (1 << daysOfWeek.indexOf(name)), 0)

const noDay = (pointer: string, what: string): Fault => ({
  pointer: `${pointer}/days_of_week`,
  code: 'empty_update',
  message: `days_of_week ${what}.`,
})
