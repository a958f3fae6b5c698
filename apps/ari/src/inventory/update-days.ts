import { type AriUpdateWrite, daysOfWeek } from '@connectivity/contracts/ari'
import { dateOf, type Day, dayOf, weekdayOf } from './calendar.js'
import type { Fault } from './fault.js'

/** How far ahead of the property's today cells can be written, days. */
export const HORIZON = 730

type Range = Pick<AriUpdateWrite, 'date_from' | 'date_to' | 'days_of_week'>

/**
 * Returns the days of an update, first to last.
 * @param pointer of the update
 * @param faults receives the faults of the days; the result is empty then
 */
export function daysOf(update: Range, pointer: string, today: Day, faults: Fault[]): Day[] {
  const before = faults.length
  const [from, to] = [dayOf(update.date_from), dayOf(update.date_to)]
  checkRange(from, to, pointer, today, faults)
  if (update.days_of_week?.length === 0) faults.push(noDay(pointer, 'names no day; leave it out for all days'))
  if (faults.length > before) return []
  const days = selected(from, to, update.days_of_week)
  if (days.length === 0) faults.push(noDay(pointer, 'names no day of this range'))
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

function selected(from: Day, to: Day, names: Range['days_of_week']): Day[] {
  const days = Array.from({ length: to - from + 1 }, (_, index) => from + index)
  if (names === undefined) return days
  const wanted = new Set(names.map((name) => daysOfWeek.indexOf(name)))
  return days.filter((day) => wanted.has(weekdayOf(day)))
}

const noDay = (pointer: string, what: string): Fault => ({
  pointer: `${pointer}/days_of_week`,
  code: 'empty_update',
  message: `days_of_week ${what}.`,
})
