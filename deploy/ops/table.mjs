// Records as text for a terminal: many as a table, one as lines.

const NOTHING = '–'
const SECRETS = ['signing_secret', 'client_secret']
const NOT_SHOWN = ['schema_version', ...SECRETS]

/** Characters that control a terminal or change its writing direction: texts come from outside. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu
const escaped = (character) => `\\u${character.codePointAt(0).toString(16).padStart(4, '0')}`

/** @param {string} text any text @returns {string} the text on one line and harmless */
export const safe = (text) => text.replace(UNSAFE, escaped)

const WIDE = /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/u
const characters = new Intl.Segmenter()

/** Columns that a text takes on a terminal. */
const width = (text) =>
  [...characters.segment(text)].reduce((sum, { segment }) => sum + (WIDE.test(segment) ? 2 : 1), 0)
const padded = (text, size) => text + ' '.repeat(Math.max(0, size - width(text)))

const isRecord = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)

function cell(value) {
  if (value === null || value === undefined) return NOTHING
  if (Array.isArray(value)) return value.length === 0 ? NOTHING : value.map(cell).join(', ')
  return safe(isRecord(value) ? JSON.stringify(value) : String(value))
}

const at = (record, path) => path.split('.').reduce((value, name) => value?.[name], record)
const firstOf = (record, paths) => paths.map((path) => at(record, path)).find((value) => value !== undefined)

/** Rows of texts in aligned columns, without white space at the ends. */
export function aligned(rows) {
  const sizes = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => width(row[column]))))
  return rows.map((row) =>
    row
      .map((text, column) => padded(text, sizes[column]))
      .join('  ')
      .trimEnd(),
  )
}

/** @param columns heading and the fields to look in, the first that is there @returns {string[]} lines */
export function table(columns, records) {
  const heading = columns.map(([title]) => title.toUpperCase())
  const rows = records.map((record) => columns.map(([, ...paths]) => cell(firstOf(record, paths))))
  return aligned([heading, ...rows])
}

function* fieldsOf(record, prefix = '') {
  for (const [name, value] of Object.entries(record)) {
    if (isRecord(value)) yield* fieldsOf(value, `${prefix}${name}.`)
    else yield [prefix + safe(name), cell(value)]
  }
}

/** One record, a field a line; a secret comes last and marked. @returns {string[]} lines */
export function fields(record) {
  const shown = Object.entries(record).filter(([name]) => !NOT_SHOWN.includes(name))
  const secrets = SECRETS.filter((name) => name in record).map((name) => [`  ${name}`, cell(record[name])])
  const lines = aligned([...fieldsOf(Object.fromEntries(shown))])
  if (secrets.length === 0) return lines
  return [...lines, '', 'SECRET, shown this once and never again. Hand it over safely:', ...aligned(secrets)]
}
