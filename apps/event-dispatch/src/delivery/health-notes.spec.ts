import { HealthNotes } from './health-notes.js'

const closed = { failuresInRow: 0, opened: 0, openUntil: null }
const success = { kind: 'delivered' } as const
const failure = { kind: 'retry' } as const

describe("a callback's health to write", () => {
  it('is empty before any attempt', () => {
    expect(new HealthNotes().take(0, closed)).toBeNull()
  })

  it('includes the first success, then one per second', () => {
    const notes = new HealthNotes()
    const written = [0, 10, 900, 1_000, 1_500].map((now) => {
      notes.note(success)
      return notes.take(now, closed) !== null
    })
    expect(written).toEqual([true, false, false, true, false])
  })

  it('includes every failure, and at once the success that ends them', () => {
    const notes = new HealthNotes()
    notes.note(success)
    notes.take(0, closed)
    notes.note(failure)
    expect(notes.take(10, { failuresInRow: 8, opened: 1, openUntil: 30_010 })).toEqual({
      ...{ hasSucceeded: false, hasFailed: true, isGone: false },
      ...{ failuresInRow: 8, breakerOpened: 1, breakerOpenFor: 30_000 },
    })
    notes.note(success)
    expect(notes.take(20, closed)).toMatchObject({ hasSucceeded: true, hasFailed: false })
  })

  it('is kept when it could not be written', () => {
    const notes = new HealthNotes()
    notes.note({ kind: 'gone' })
    const taken = notes.take(0, closed)!
    notes.restore(taken)
    notes.note(success)
    expect(notes.take(5, closed)).toMatchObject({ hasSucceeded: true, hasFailed: true, isGone: true })
    expect(notes.take(5, closed)).toBeNull()
  })
})
