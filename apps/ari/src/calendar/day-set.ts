import { type Day, weekdayOf } from './calendar.js'

/** How far ahead of the property's today cells can be written, days. */
export const HORIZON = 730

const WEEK = 7
/** Words of 32 days each, with room for the week that begins on the last day. */
const WORDS = Math.ceil((HORIZON + WEEK) / 32)

const NO_DAYS: readonly number[] = Array<number>(WORDS).fill(0)

/** Days of the week as bits, Monday the lowest. */
export type Weekdays = number

/** The days of a range that fall on some days of the week. */
export interface DayRange {
  from: Day
  /** Inclusive. */
  to: Day
  weekdays: Weekdays
}

/** Whether a day falls on one of the given weekdays. */
export const isOn = (day: Day, weekdays: Weekdays): boolean => ((weekdays >>> weekdayOf(day)) & 1) === 1

/**
 * Days from the property's today to the horizon, as bits. Methods loop over words, because a call of 1 MiB compares
 * sets a hundred thousand times. They return one of their two sets where it is the result; no method changes a set.
 */
export class DaySet {
  /** A small typed array would cost more: its memory lies outside of the heap. */
  private readonly words = NO_DAYS.slice()
  /** Result of `ranges`: the 50 prices of an update share one set. */
  private asRanges: readonly DayRange[] | null = null

  /** @param today of the property */
  private constructor(private readonly today: Day) {}

  /** @param today of the property */
  static none(today: Day): DaySet {
    return new DaySet(today)
  }

  /** @param today of the property, not after the range */
  static of(today: Day, { from, to, weekdays }: DayRange): DaySet {
    const set = new DaySet(today)
    for (let index = from - today, weekday = weekdayOf(from); index <= to - today; index++) {
      if ((weekdays >>> weekday) & 1) set.words[index >>> 5]! |= 1 << (index & 31)
      weekday = weekday === WEEK - 1 ? 0 : weekday + 1
    }
    return set
  }

  /** Whether the day is in the set. @param day from the today of the property to the horizon */
  has(day: Day): boolean {
    const index = day - this.today
    return ((this.words[index >>> 5]! >>> (index & 31)) & 1) === 1
  }

  get size(): number {
    let bits = 0
    for (let at = 0; at < WORDS; at++) for (let word = this.words[at]!; word !== 0; word &= word - 1) bits++
    return bits
  }

  /** The first day; null if there is none. */
  get first(): Day | null {
    return this.firstFrom(this.today)
  }

  /** Whether every day is in the other set. */
  isWithin({ words }: DaySet): boolean {
    for (let at = 0; at < WORDS; at++) if ((this.words[at]! & ~words[at]!) !== 0) return false
    return true
  }

  /** Whether a day is in both sets. */
  meets({ words }: DaySet): boolean {
    for (let at = 0; at < WORDS; at++) if ((this.words[at]! & words[at]!) !== 0) return true
    return false
  }

  /** The days of either set. */
  with(other: DaySet): DaySet {
    if (other.isWithin(this)) return this
    if (this.isWithin(other)) return other
    const all = new DaySet(this.today)
    for (let at = 0; at < WORDS; at++) all.words[at] = this.words[at]! | other.words[at]!
    return all
  }

  /** The days of both sets. */
  within(other: DaySet): DaySet {
    if (this.isWithin(other)) return this
    const both = new DaySet(this.today)
    for (let at = 0; at < WORDS; at++) both.words[at] = this.words[at]! & other.words[at]!
    return both
  }

  /** The days that are not in the other set. */
  without(other: DaySet): DaySet {
    if (!this.meets(other)) return this
    const rest = new DaySet(this.today)
    for (let at = 0; at < WORDS; at++) rest.words[at] = this.words[at]! & ~other.words[at]!
    return rest
  }

  /** The same days as ranges, first to last. Days that repeat by the week are one. */
  ranges(): readonly DayRange[] {
    this.asRanges ??= [...this.findRanges()]
    return this.asRanges
  }

  private *findRanges(): Generator<DayRange> {
    for (let from = this.first; from !== null;) {
      const range = this.rangeFrom(from)
      yield range
      from = this.firstFrom(range.to + 1)
    }
  }

  private firstFrom(day: Day): Day | null {
    const index = day - this.today
    for (let at = index >>> 5, mask = -1 << (index & 31); at < WORDS; at++, mask = -1) {
      const word = this.words[at]! & mask
      if (word !== 0) return this.today + at * 32 + (31 - Math.clz32(word & -word))
    }
    return null
  }

  /** The longest range from a day on in which every week has the same days as the first. */
  private rangeFrom(from: Day): DayRange {
    let weekdays = 0
    for (let day = from; day < from + WEEK; day++) if (this.has(day)) weekdays |= 1 << weekdayOf(day)
    let to = from + WEEK - 1
    while (to < this.today + HORIZON && this.has(to + 1) === this.has(to + 1 - WEEK)) to++
    while (!this.has(to)) to--
    return { from, to, weekdays }
  }
}
