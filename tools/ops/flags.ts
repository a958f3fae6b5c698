// Flags that every change or every list has, and functions about a command's flags.
import type { Call, Command, Flags } from './command.ts'

const ofChanges: Flags = {
  reason: { value: 'TEXT', says: 'reason, kept in the audit', needed: true },
  'idempotency-key': { value: 'KEY', says: 'makes a repetition harmless: the same call gets the first answer' },
}
const ofLists: Flags = {
  limit: { value: 'N', kind: 'count', says: 'most records to show, over several pages if needed (default 50)' },
  all: { says: 'all records', excludes: 'limit' },
  cursor: { value: 'CURSOR', says: "where to continue: an answer's next_cursor" },
}

/** Whether a command changes something. */
export const isChange = ({ method }: Pick<Call, 'method'>): boolean => method !== 'GET'

/** Whether a command's records come in pages. */
export const isPaged = ({ list, isWhole }: Pick<Call, 'list' | 'isWhole'>): boolean => list !== undefined && !isWhole

/** All flags of a command by name. */
export const flagsOf = (command: Command): Flags => ({
  ...command.flags,
  ...(isChange(command) && ofChanges),
  ...(isPaged(command) && ofLists),
})

/** Flags that the words after the verb stand for, in this order: the ids in the path. */
export const wordFlags = ({ path }: Pick<Command, 'path'>): string[] =>
  [...path.matchAll(/\{(.+?)\}/g)].map(([, name = '']) => name)
