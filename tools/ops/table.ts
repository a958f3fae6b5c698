// Records as text for a terminal: many as a table, one as lines.
import type { Column, Fields } from './command.ts'
import { at } from './texts.ts'

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

/**
 * Width of a text on a terminal, columns. Plain ASCII is not segmented, which would cost 95 % of the time of a long
 * table.
 */
const width = (text: string): number =>
  /^[ -~]*$/.test(text)
    ? text.length
    : [...characters.segment(text)].reduce((sum, { segment }) => sum + (WIDE.test(segment) ? 2 : 1), 0)
const padded = (text: string, size: number): string => text + ' '.repeat(Math.max(0, size - width(text)))

const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function cell(value: unknown): string {
  if (value === null || value === undefined) return NOTHING
  if (Array.isArray(value)) return value.length === 0 ? NOTHING : value.map(cell).join(', ')
  return safe(isRecord(value) ? JSON.stringify(value) : String(value))
}

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

/** Options of a table. */
interface Look {
  /** Texts of columns that are not simply a field's value, by heading. */
  texts?: Readonly<Record<string, (record: Fields) => unknown>> | undefined
  /** Columns of the terminal; longer lines are shortened where no id is. */
  width?: number | undefined
}

/** Lines of a table: its headings, then one line per record. */
export function table(
  columns: readonly Column[],
  records: readonly Fields[],
  { texts, width: most }: Look = {},
): string[] {
  const heading = columns.map(([title]) => title.toUpperCase())
  const valueOf = (record: Fields, [title, ...paths]: Column): unknown =>
    texts && title in texts ? texts[title]!(record) : firstOf(record, paths)
  const rows = records.map((record) => columns.map((column) => cell(valueOf(record, column))))
  const lines = [heading, ...rows]
  return aligned(most === undefined ? lines : fitted(lines, most))
}

/** Ids are copied from a table, so they are never cut. */
const ID = /^[a-z]{2,8}_[A-Za-z0-9]+$/
/** Shortest width of a column that is cut. */
const NARROW = 8
const GAP = 2

const widest = (rows: readonly (readonly string[])[], column: number): number =>
  Math.max(...rows.map((row) => width(row[column] ?? '')))

/** Shortens the widest columns until the rows fit, as far as they can be cut. */
function fitted(rows: readonly (readonly string[])[], most: number): string[][] {
  const sizes = (rows[0] ?? []).map((_, column) => widest(rows, column))
  const canCut = sizes.map((_, column) => rows.every((row, index) => index === 0 || !ID.test(row[column] ?? '')))
  const total = () => sizes.reduce((sum, size) => sum + size + GAP, -GAP)
  while (total() > most) {
    const cuttable = sizes.map((size, column) => (canCut[column] && size > NARROW ? size : 0))
    const largest = Math.max(...cuttable)
    if (largest === 0) break
    sizes[cuttable.indexOf(largest)]! -= 1
  }
  return rows.map((row) => row.map((text, column) => cut(text, sizes[column]!)))
}

/** The beginning of a text that takes at most so many columns. */
function cut(text: string, size: number): string {
  if (width(text) <= size) return text
  let kept = ''
  for (const { segment } of characters.segment(text)) {
    if (width(kept + segment) > size - 1) break
    kept += segment
  }
  return `${kept}…`
}

/** Name and text of each field; fields of records within have the names of both. */
function* fieldsOf(record: Fields, prefix = ''): Generator<[string, string]> {
  for (const [name, value] of Object.entries(record)) {
    if (isRecord(value)) yield* fieldsOf(value, `${prefix}${name}.`)
    else yield [prefix + safe(name), cell(value)]
  }
}

const isTable = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every(isRecord)
const columnsOf = ([first = {}]: readonly Fields[]): Column[] =>
  Object.keys(first).map((name) => [name.replaceAll('_', ' '), name])

/** Lines of one record: one line per field, a list of records as a table; a secret comes last and marked. */
export function fields(record: Fields): string[] {
  const shown = Object.entries(record).filter(([name]) => !NOT_SHOWN.includes(name))
  const secrets = SECRETS.filter((name) => name in record).map((name) => [`  ${name}`, cell(record[name])])
  const plain = shown.filter(([, value]) => !isTable(value))
  const tables = shown.filter((entry): entry is [string, Fields[]] => isTable(entry[1]))
  const lines = [
    ...aligned([...fieldsOf(Object.fromEntries(plain))]),
    ...tables.flatMap(([name, records]) => ['', `${safe(name)}:`, ...table(columnsOf(records), records)]),
  ]
  if (secrets.length === 0) return lines
  return [...lines, '', 'SECRET, shown this once and never again. Hand it over safely:', ...aligned(secrets)]
}
