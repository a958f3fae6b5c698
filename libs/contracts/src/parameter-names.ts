import { invalidParameter } from './errors.js'
import type { Operation } from './operation.js'

/** Header of an answer that names the parameters which had no effect, comma separated. */
export const IGNORED_PARAMETERS_HEADER = 'service-ignored-parameters'

/** Most parameters of one query that are checked; thousands would fit into the request line of 16 KiB. */
const MOST_PARAMETERS = 64
/** Most names in the header, and most letters of each: the header stays below 700 bytes. */
const MOST_NAMED = 10
const PLAIN_NAME = /^[\w.~-]{1,64}$/
/** Most edits of a misspelling. A short name is within two edits of too many other words. */
const EDITS = 2
const EDITS_OF_SHORT = 1
const SHORT = 5
/** Longest name that can match a parameter of ours, percent-encoded or not. */
const LONGEST_NAME = 64

const NONE: readonly string[] = []

/** Names of all query parameters that a call takes. */
export const parametersOf = ({
  property,
  parameters = NONE,
}: Pick<Operation, 'property' | 'parameters'>): readonly string[] =>
  property === 'query' ? ['property_id', ...parameters] : parameters

/**
 * Finds parameters that a call does not take. Misspelt ones are rejected, so that a filter with a typo is never
 * ignored; the others have no effect.
 * @param query raw, without `?`
 * @param known names of the parameters that the call takes; `name[]` counts as `name`
 * @returns plain names among the ones without effect, at most ten, each once
 * @throws ServiceError 400 `invalid_request` for a name within two edits of a known one, one edit if that is shorter
 * than five letters
 */
export function unknownParameters(query: string, known: readonly string[]): readonly string[] {
  if (query === '') return NONE
  const unknown = [...namesIn(query)].filter((name) => !known.includes(withoutBrackets(name)))
  if (unknown.length === 0) return NONE
  const names = [...new Set(unknown)]
  for (const name of names) refuseMisspelt(name, known)
  return names.filter((name) => PLAIN_NAME.test(name)).slice(0, MOST_NAMED)
}

const withoutBrackets = (name: string): string => (name.endsWith('[]') ? name.slice(0, -2) : name)

/** Names of the first parameters, decoded. */
function* namesIn(query: string): Generator<string> {
  let begin = 0
  for (let count = 0; count < MOST_PARAMETERS && begin <= query.length; count++) {
    const ampersand = query.indexOf('&', begin)
    const end = ampersand === -1 ? query.length : ampersand
    const equals = query.indexOf('=', begin)
    const nameEnd = equals === -1 || equals > end ? end : equals
    if (nameEnd > begin && nameEnd - begin <= LONGEST_NAME) yield decoded(query.slice(begin, nameEnd))
    begin = end + 1
  }
}

function decoded(name: string): string {
  if (!/[%+]/.test(name)) return name
  try {
    return decodeURIComponent(name.replaceAll('+', ' '))
  } catch {
    return name
  }
}

function refuseMisspelt(name: string, known: readonly string[]): void {
  const sent = withoutBrackets(name)
  const [closest] = known
    .map((meant) => ({ meant, edits: editsBetween(sent, meant) }))
    .filter(({ meant, edits }) => edits <= (meant.length < SHORT ? EDITS_OF_SHORT : EDITS))
    .sort((a, b) => a.edits - b.edits)
  if (closest) throw invalidParameter(name, 'unknown_parameter', `Did you mean ${closest.meant}?`)
}

/** Damerau-Levenshtein distance; infinite if the lengths differ by more than two. */
function editsBetween(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > EDITS) return Infinity
  const lastRow = new Map<string, number>()
  const most = a.length + b.length
  const table = Array.from({ length: a.length + 2 }, () => new Array<number>(b.length + 2).fill(most))
  for (let i = 0; i <= a.length; i++) table[i + 1]![1] = i
  for (let j = 0; j <= b.length; j++) table[1]![j + 1] = j
  for (let i = 1; i <= a.length; i++) {
    fillRow(table, i, { a, b, lastRow })
    lastRow.set(a[i - 1]!, i)
  }
  return table[a.length + 1]![b.length + 1]!
}

function fillRow(
  table: number[][],
  i: number,
  { a, b, lastRow }: { a: string; b: string; lastRow: ReadonlyMap<string, number> },
): void {
  const [above, row] = [table[i]!, table[i + 1]!]
  let lastColumn = 0
  for (let j = 1; j <= b.length; j++) {
    const isSame = a[i - 1] === b[j - 1]
    const swappedRow = lastRow.get(b[j - 1]!) ?? 0
    const swap = table[swappedRow]![lastColumn]! + (i - swappedRow - 1) + 1 + (j - lastColumn - 1)
    row[j + 1] = Math.min(above[j]! + (isSame ? 0 : 1), row[j]! + 1, above[j + 1]! + 1, swap)
    if (isSame) lastColumn = j
  }
}
