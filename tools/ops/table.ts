// Records as text for a terminal: many as a table, one as lines.
import type { Column } from './command.ts'

const NOTHING = '–'
const SECRETS = ['signing_secret', 'client_secret']
const NOT_SHOWN = ['schema_version', ...SECRETS]

/** Characters that control a terminal or change its writing direction: texts come from outside. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu
const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Escapes a text, so that it stays on one line and cannot control the terminal. */
export const safe = (text: string): string => text.replace(UNSAFE, escaped)

const WIDE = /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/u
const characters = new Intl.Segmenter()

/** Columns that a text takes on a terminal. */
const width = (text: string): number =>
  [...characters.segment(text)].reduce((sum, { segment }) => sum + (WIDE.test(segment) ? 2 : 1), 0)
const padded = (text: string, size: number): string => text + ' '.repeat(Math.max(0, size - width(text)))

/** A record of an answer, or a part of one. */
type Fields = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function cell(value: unknown): string {
  if (value === null || value === undefined) return NOTHING
  if (Array.isArray(value)) return value.length === 0 ? NOTHING : value.map(cell).join(', ')
  return safe(isRecord(value) ? JSON.stringify(value) : String(value))
}

/** The value at a path with dots. */
const at = (record: Fields, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Fields | null | undefined)?.[name], record)
const firstOf = (record: Fields, paths: readonly string[]): unknown =>
  paths.map((path) => at(record, path)).find((value) => value !== undefined)

/** Rows of texts in aligned columns, without white space at the ends. */
export function aligned(rows: readonly (readonly string[])[]): string[] {
  const sizes = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => width(row[column] ?? ''))))
  return rows.map((row) =>
    row
      .map((text, column) => padded(text, sizes[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** Lines of a table: its headings, then a record a line. */
export function table(columns: readonly Column[], records: readonly Fields[]): string[] {
  const heading = columns.map(([title]) => title.toUpperCase())
  const rows = records.map((record) => columns.map(([, ...paths]) => cell(firstOf(record, paths))))
  return aligned([heading, ...rows])
}

/** Name and text of each field; fields of records within have the names of both. */
function* fieldsOf(record: Fields, prefix = ''): Generator<[string, string]> {
  for (const [name, value] of Object.entries(record)) {
    if (isRecord(value)) yield* fieldsOf(value, `${prefix}${name}.`)
    else yield [prefix + safe(name), cell(value)]
  }
}

/** Lines of one record, a field a line; a secret comes last and marked. */
export function fields(record: Fields): string[] {
  const shown = Object.entries(record).filter(([name]) => !NOT_SHOWN.includes(name))
  const secrets = SECRETS.filter((name) => name in record).map((name) => [`  ${name}`, cell(record[name])])
  const lines = aligned([...fieldsOf(Object.fromEntries(shown))])
  if (secrets.length === 0) return lines
  return [...lines, '', 'SECRET, shown this once and never again. Hand it over safely:', ...aligned(secrets)]
}
