// Texts for columns of tables: ages, changes, scopes.
import { scopes } from '@connectivity/contracts/scopes'
import type { Fields } from './command.ts'

/** Units of an age, from the longest, with their seconds. */
const UNITS: readonly [unit: string, seconds: number][] = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
]

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value at a path with dots. */
export const at = (record: Fields, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Fields | null | undefined)?.[name], record)

/** Age of a timestamp in its largest unit: `12 min`; null stays null. */
export function age(timestamp: unknown, now = Date.now()): string | null {
  if (typeof timestamp !== 'string') return null
  const seconds = Math.max(0, Math.floor((now - Date.parse(timestamp)) / 1000))
  const [unit, size] = UNITS.find(([, one]) => seconds >= one) ?? ['s', 1]
  return `${Math.floor(seconds / size)} ${unit}`
}

/** The age of the timestamp at a path. */
export const ageAt =
  (path: string) =>
  (record: Fields): string | null =>
    age(at(record, path))

const shortly = (value: unknown): string => (value === null || value === undefined ? '–' : JSON.stringify(value))

/** Changed fields of a record, those of records within by both names. */
function changes(before: unknown, after: unknown, name = ''): string[] {
  if (isFields(before) && isFields(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)])
    return [...names].flatMap((one) => changes(before[one], after[one], name === '' ? one : `${name}.${one}`))
  }
  return shortly(before) === shortly(after) ? [] : [`${name} ${shortly(before)} → ${shortly(after)}`]
}

/** A field that rises with every change. */
const SILENT = /^version /

/** Changes of an audit entry, `state "pilot" → "disabled"`; for a new record without names of fields. */
export function changed({ before, after }: Fields): string | null {
  if (!isFields(before) || !isFields(after)) return null
  return changes(before, after)
    .filter((text) => !SILENT.test(text))
    .join(', ')
}

/** Scopes of a credential; `all` instead of the whole list. */
export const scopesOf = ({ scopes: given }: Fields): unknown =>
  Array.isArray(given) && given.length === scopes.length ? 'all' : given
