// The flags of a command: its own, those of every change or list, and those of every command.
import type { ParseArgsOptionDescriptor } from 'node:util'
import type { Call, Command, Flags } from './command.ts'
import { commands } from './commands.ts'

const ofChanges: Flags = {
  reason: { value: 'TEXT', says: 'reason, kept in the audit', needed: true },
  'idempotency-key': { value: 'KEY', says: 'makes a repetition harmless: the same call gets the first answer' },
}
const ofLists: Flags = {
  limit: { value: 'N', kind: 'count', says: 'most records to show, over several pages if needed (default 50)' },
  all: { says: 'all records' },
  cursor: { value: 'CURSOR', says: "where to continue: an answer's next_cursor" },
}
const ofAll: Flags = {
  json: { says: "the service's answer unchanged, for scripts" },
  'read-only': { says: "use the local stack's read-only token" },
  help: { says: 'this text', short: 'h' },
}

/** The flags of one command. */
interface FlagGroups {
  own: Flags
  /** Those of every list. */
  list: Flags
  /** Those of every command. */
  general: Flags
}

/** Whether a command changes something. */
export const isChange = ({ method }: Pick<Call, 'method'>): boolean => method !== 'GET'

/** Flags by group. */
export const flagGroups = (command: Command): FlagGroups => ({
  own: { ...command.flags, ...(isChange(command) ? ofChanges : {}) },
  list: command.list ? ofLists : {},
  general: ofAll,
})

/** All flags of a command by name. */
export function flagsOf(command: Command): Flags {
  const { own, list, general } = flagGroups(command)
  return { ...own, ...list, ...general }
}

/** All flags for util.parseArgs: it must know which ones take a value before the command is known. */
export const parseOptions = Object.fromEntries(
  commands
    .flatMap((command) => Object.entries(flagsOf(command)))
    .map(([name, { value, short }]): [string, ParseArgsOptionDescriptor] => [
      name,
      { type: value ? 'string' : 'boolean', multiple: true, ...(short ? { short } : {}) },
    ]),
)
