import type { BreakerMemory } from './breaker.js'
import type { CallbackHealth } from './delivery-result.store.js'

type Notes = Pick<CallbackHealth, 'hasSucceeded' | 'hasFailed' | 'isGone'>

/** Successes of a callback that is known to be well are written at most so often, ms. */
const SUCCESS_EVERY = 1_000
const NOTHING: Notes = { hasSucceeded: false, hasFailed: false, isGone: false }

/** What attempts have told about a callback and the database does not know yet. */
export class HealthNotes {
  private notes = NOTHING
  /** What the database has may be a failure; the first success mends it. */
  private isKnownWell = false
  private writtenAt = -Infinity

  note(attempt: { ok: boolean; isGone: boolean }): void {
    this.notes = {
      hasSucceeded: this.notes.hasSucceeded || attempt.ok,
      hasFailed: this.notes.hasFailed || !attempt.ok,
      isGone: this.notes.isGone || attempt.isGone,
    }
  }

  /** @returns what is to be written now, null when there is nothing; `restore` it if that fails */
  take(now: number, { failuresInRow, opened, openUntil }: BreakerMemory): Omit<CallbackHealth, 'lease'> | null {
    const { notes } = this
    const isNews =
      notes.hasFailed || (notes.hasSucceeded && (!this.isKnownWell || now >= this.writtenAt + SUCCESS_EVERY))
    if (!isNews) return null
    this.notes = NOTHING
    this.isKnownWell = !notes.hasFailed
    this.writtenAt = now
    const breakerOpenFor = openUntil === null ? null : openUntil - now
    return { ...notes, failuresInRow, breakerOpened: opened, breakerOpenFor }
  }

  restore({ hasSucceeded, hasFailed, isGone }: Notes): void {
    this.isKnownWell = false
    if (hasSucceeded) this.note({ ok: true, isGone: false })
    if (hasFailed) this.note({ ok: false, isGone })
  }
}
