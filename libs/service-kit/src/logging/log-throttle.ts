/** One failure, which may repeat for every message: where, why and which message. */
export interface Occurrence<Place extends object> {
  place: Place
  reason: string
  /** Offset or id of the message. */
  position: string
  /** Error logged with the line, if any. */
  err?: unknown
}

/** One log line: the occurrences of a place and a reason since the previous line. */
export interface Summary<Place extends object> {
  place: Place
  reason: string
  count: number
  first: string
  last: string
  err?: unknown
}

/** Shortest time between two lines about the same place and reason, ms. */
export const WINDOW = 10_000
/** Number of reasons of one place that have their own lines; all others share one. */
const REASONS = 5
/** Reason in the line that all further reasons of a place share. */
export const OTHER_REASONS = 'various other reasons'
const LONGEST_REASON = 300

interface Entry<Place extends object> extends Summary<Place> {
  placeKey: string
  /** Time from which the next line may be written. */
  until: number
}

/**
 * Decides which occurrences are logged at once and which are gathered into one line: the first of a place and reason at
 * once, the rest once per window. Every occurrence is counted in exactly one summary. Memory is bounded by the number
 * of places, for any number of reasons. All times are ms of the same clock.
 */
export class LogThrottle<Place extends object> {
  /** Entries by place and reason, in the order in which their windows end. */
  private readonly entries = new Map<string, Entry<Place>>()
  private readonly reasons = new Map<string, number>()

  /** @returns the line to write now, null when the occurrence is gathered */
  note({ place, reason, position, err }: Occurrence<Place>, now: number): Summary<Place> | null {
    const placeKey = JSON.stringify(place)
    const shown = this.shownReason(placeKey, reason.slice(0, LONGEST_REASON))
    const key = keyOf(placeKey, shown)
    const entry = this.entries.get(key)
    if (!entry) {
      const opened = { place, placeKey, reason: shown, count: 0, first: '', last: '', until: now + WINDOW }
      this.entries.set(key, opened)
      this.reasons.set(placeKey, this.countReasons(placeKey) + 1)
      return { place, reason: shown, count: 1, first: position, last: position, err }
    }
    if (entry.count === 0) entry.first = position
    entry.count += 1
    entry.last = position
    entry.err = err
    return null
  }

  /** Returns summaries of the windows that have ended and begins their next ones. Forgets places that are quiet. */
  due(now: number): Summary<Place>[] {
    const ended = [...this.entries].filter(([, { until }]) => until <= now)
    for (const [key, entry] of ended) {
      this.forget(key, entry)
      if (entry.count === 0) continue
      this.entries.set(key, { ...entry, count: 0, err: undefined, until: now + WINDOW })
      this.reasons.set(entry.placeKey, this.countReasons(entry.placeKey) + 1)
    }
    return summaries(ended)
  }

  /** Returns every open summary and forgets them all. */
  drain(): Summary<Place>[] {
    const all = [...this.entries]
    this.entries.clear()
    this.reasons.clear()
    return summaries(all)
  }

  /** Time at which `due` next has work; null when no window is open. */
  get nextDue(): number | null {
    const [first] = this.entries.values()
    return first?.until ?? null
  }

  /** Number of entries kept. */
  get size(): number {
    return this.entries.size
  }

  private shownReason(placeKey: string, reason: string): string {
    const isKnown = this.entries.has(keyOf(placeKey, reason))
    return isKnown || this.countReasons(placeKey) < REASONS ? reason : OTHER_REASONS
  }

  private countReasons(placeKey: string): number {
    return this.reasons.get(placeKey) ?? 0
  }

  private forget(key: string, { placeKey }: Entry<Place>): void {
    this.entries.delete(key)
    const left = this.countReasons(placeKey) - 1
    if (left > 0) this.reasons.set(placeKey, left)
    else this.reasons.delete(placeKey)
  }
}

const keyOf = (placeKey: string, reason: string): string => `${placeKey} ${reason}`

const summaries = <Place extends object>(entries: [string, Entry<Place>][]): Summary<Place>[] =>
  entries
    .filter(([, { count }]) => count > 0)
    .map(([, { place, reason, count, first, last, err }]) => ({ place, reason, count, first, last, err }))
