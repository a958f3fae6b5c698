import type { BreakerMemory } from './breaker.js'
import type { HealthChange } from './delivery-result.store.js'
import type { Verdict } from './verdict.js'

type Notes = Pick<HealthChange, 'hasSucceeded' | 'hasFailed' | 'isGone'>

/** Shortest time between two written successes of a healthy callback, ms. */
const SUCCESS_EVERY = 1_000
const NOTHING: Notes = { hasSucceeded: false, hasFailed: false, isGone: false }

/** Health of a callback, as its attempts have shown, that is not yet written. */
export class HealthNotes {
  private notes = NOTHING
  /** While false, the database may hold a failure; the next success is then written at once. */
  private isKnownWell = false
  private writtenAt = -Infinity

  /** Notes an attempt that has ended. */
  note({ kind }: Pick<Verdict, 'kind'>): void {
    this.notes = {
      hasSucceeded: this.notes.hasSucceeded || kind === 'delivered',
      hasFailed: this.notes.hasFailed || kind !== 'delivered',
      isGone: this.notes.isGone || kind === 'gone',
    }
  }

  /** @returns the health to write now, null if none; `restore` it if the write fails */
  take(
    now: number,
    { failuresInRow, opened, openUntil }: BreakerMemory,
  ): Omit<HealthChange, 'lease' | 'revision'> | null {
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

  /** Adds notes back that were taken and could not be written. */
  restore({ hasSucceeded, hasFailed, isGone }: Notes): void {
    this.isKnownWell = false
    if (hasSucceeded) this.note({ kind: 'delivered' })
    if (hasFailed) this.note({ kind: isGone ? 'gone' : 'failed' })
  }
}
