// Kinds of flags that several nouns have.
import type { Flag } from '../command.ts'

/** The id in a path. */
export const idOf = (of: string, value: string): { id: Flag } => ({ id: { value, says: `the ${of}`, needed: true } })

/** One of a few words. */
export const choice = (oneOf: readonly string[], says: string, more?: Pick<Flag, 'needed'>): Flag => ({
  value: 'WORD',
  oneOf,
  says,
  ...more,
})

/** A time with its zone. */
export const time = (says: string): Flag => ({ value: 'TIME', kind: 'time', says })
