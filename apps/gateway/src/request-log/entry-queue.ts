import type { LogEntry } from './logged-request.js'

/** Most entries that wait for the database, and most characters of their texts. */
const MOST_ENTRIES = 20_000
const MOST_CHARACTERS = 16 * 1024 * 1024
/** Entries per minute about one key that failed to authenticate, or about one address that names no known key. */
const FAILURES_PER_MINUTE = 60
/** Keys and addresses counted at once; above this all further failures of the minute are left out. */
const MOST_COUNTED = 10_000
const MINUTE = 60_000

/** Reason why an entry is left out. */
export type DropReason = 'backlog' | 'flood' | 'unwritable'

/**
 * Entries that wait to be written to the database, oldest first. Equal ones are folded; when there are too many, the
 * oldest are dropped, because newer ones are searched more often.
 */
export class EntryQueue {
  private waiting: LogEntry[] = []
  private characters = 0
  private folds = new Map<string, LogEntry>()
  private failures = new Map<string, number>()
  private minute = 0

  /** @param dropped counts entries that are left out */
  constructor(private readonly dropped: (reason: DropReason, count: number) => void) {}

  get length(): number {
    return this.waiting.length
  }

  /** Folds a request into the equal entry that still waits. @returns false when there is none */
  fold(foldKey: string): boolean {
    const entry = this.folds.get(foldKey)
    if (entry) entry.repeated += 1
    return entry !== undefined
  }

  /** Adds an entry; drops the oldest ones beyond the bounds of the queue. */
  add(entry: LogEntry): void {
    this.waiting.push(entry)
    this.characters += charactersOf(entry)
    if (entry.foldKey !== null) this.folds.set(entry.foldKey, entry)
    this.bound()
  }

  /**
   * Counts a failed authentication against its key, or against its address if it names no known key.
   * @returns false when there were too many this minute; the entry is left out and counted
   */
  mayAddFailure(subject: string, now: number): boolean {
    const minute = Math.floor(now / MINUTE)
    if (minute !== this.minute) {
      this.minute = minute
      this.failures = new Map()
    }
    const count = this.failures.get(subject) ?? 0
    const isFull = count === 0 && this.failures.size >= MOST_COUNTED
    if (count >= FAILURES_PER_MINUTE || isFull) {
      this.dropped('flood', 1)
      return false
    }
    this.failures.set(subject, count + 1)
    return true
  }

  /** Takes the oldest entries; later equal requests are not folded into them. */
  take(count: number): LogEntry[] {
    const taken = this.waiting.splice(0, count)
    for (const entry of taken) this.forget(entry)
    return taken
  }

  /** Puts back entries that could not be written, in front of the others. Equal ones added meanwhile fold into them. */
  putBack(entries: readonly LogEntry[]): void {
    const folded = new Set<LogEntry>()
    for (const entry of entries) {
      this.characters += charactersOf(entry)
      if (entry.foldKey === null) continue
      const later = this.folds.get(entry.foldKey)
      this.folds.set(entry.foldKey, entry)
      if (!later) continue
      entry.repeated += later.repeated
      this.characters -= charactersOf(later)
      folded.add(later)
    }
    this.waiting = [...entries, ...this.waiting].filter((entry) => !folded.has(entry))
    this.bound()
  }

  private bound(): void {
    let surplus = Math.max(0, this.waiting.length - MOST_ENTRIES)
    let characters = this.characters
    for (let index = 0; index < this.waiting.length && (index < surplus || characters > MOST_CHARACTERS); index++) {
      characters -= charactersOf(this.waiting[index]!)
      surplus = Math.max(surplus, index + 1)
    }
    if (surplus === 0) return
    const left = this.take(surplus)
    this.dropped(
      'backlog',
      left.reduce((sum, { repeated }) => sum + repeated, 0),
    )
  }

  private forget(entry: LogEntry): void {
    this.characters -= charactersOf(entry)
    if (entry.foldKey !== null && this.folds.get(entry.foldKey) === entry) this.folds.delete(entry.foldKey)
  }
}

/** Characters of the texts that clients choose. */
const charactersOf = ({ path, facts, foldKey }: LogEntry): number => path.length + facts.length + (foldKey?.length ?? 0)
