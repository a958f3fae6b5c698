// Requests of the largest accepted size: bodies full of small values, each of which validation could spend time on, and
// long repetitions, which a bad regular expression scans again from each character.
import { type Description, resolved, type Schema, type Target } from '../model/description.ts'
import { type Draft, requestOf } from './draft.ts'
import type { Input } from '../model/request.ts'

/** Body limits of the operations, bytes: those that take long lists, and the others. */
const BODY_LIMITS = [1_048_576, 16_384]

type Path = readonly string[]

/** A list or an object in a body. Lists inside lists are entered at their first item. */
interface Place {
  path: Path
  kind: 'object' | 'list'
}

function placesOf(document: Description, schema: Schema, path: Path = []): Place[] {
  const { type, properties = {}, items = {} } = resolved(document, schema)
  if (type === 'array') return [{ path, kind: 'list' }, ...placesOf(document, items, [...path, '0'])]
  if (type !== 'object') return []
  const inside = Object.entries(properties).flatMap(([name, one]) => placesOf(document, one, [...path, name]))
  return [{ path, kind: 'object' }, ...inside]
}

type Parent = Record<string, unknown> | undefined

/** JSON of the document with `text` at a place; missing parents of the place are created. */
function withText(document: unknown, [name, ...rest]: Path, text: string): string {
  if (name === undefined) return text
  const inside = withText((document as Parent)?.[name], rest, text)
  if (name === '0') return `[${inside}]`
  const others = Object.entries((document ?? {}) as object)
    .filter(([other]) => other !== name)
    .map(([other, value]) => `${JSON.stringify(other)}:${JSON.stringify(value)}`)
  return `{${[...others, `${JSON.stringify(name)}:${inside}`].join(',')}}`
}

/** As many of the texts, with commas between them, as fit into `bytes`. */
function filled(bytes: number, textOf: (n: number) => string): { text: string; count: number } {
  const texts: string[] = []
  for (let left = bytes, text = textOf(0); left > text.length; text = textOf(texts.length)) {
    texts.push(text)
    left -= text.length + 1
  }
  return { text: texts.join(','), count: texts.length }
}

const contents: Record<Place['kind'], { what: string; textOf: (n: number) => string }[]> = {
  list: [
    { what: 'empty objects', textOf: () => '{}' },
    { what: 'strings', textOf: () => '"a"' },
    { what: 'halves of surrogate pairs', textOf: () => '"\\ud800"' },
  ],
  object: [{ what: 'unknown keys', textOf: (n) => `"${n.toString(36)}":0` }],
}

/** Bytes of a body around its filling. */
const FRAME = 2

/** Texts that regular expressions search for, fail to find the end of, or skip. */
const REPEATED = ['"', '\\"', '"\\', ',', ',"",', '{', '[', '/', '=', ';', ' ', '%', 'a.', '-', '\t=']
/** What follows a repetition, so that a pattern fails only at its end. */
const ENDS = ['', '"', 'x']
/** Headers that are read before or after the credential. */
const HEADERS = ['accept', 'authorization', 'content-type', 'cookie', 'idempotency-key', 'if-none-match', 'prefer']
/** Longest body that the signature doctor takes apart, bytes. */
const DIAGNOSED = 65_536
/** Length of a header's value that fits into a head of 16 KiB with the others, bytes. */
const LONGEST_HEADER = 13_000

const repetitions = (length: number): string[] =>
  REPEATED.flatMap((text) => ENDS.map((end) => text.repeat(Math.floor((length - end.length) / text.length)) + end))

/**
 * Repetitions: as the body of a request whose signature does not match, after a quotation mark and without; without a
 * body, as the value of each header.
 * @param draft a good request to the operation
 */
export function* repetitiveInputs({ body, isSigned }: Target, draft: Draft): Generator<Input> {
  const input = (place: string, text: string, changed: Partial<Draft>): Input => ({
    request: requestOf({ ...draft, ...changed }),
    distortions: [`${place} of ${JSON.stringify(text.slice(0, 8))}`],
  })
  if (body === null) {
    for (const name of HEADERS)
      for (const text of repetitions(LONGEST_HEADER))
        yield input(name, text, { headers: { ...draft.headers, [name]: text.trim() } })
  } else if (isSigned) {
    for (const text of repetitions(DIAGNOSED - 1))
      for (const raw of [text, `"${text}`]) yield input('body', raw, { raw, signature: 'wrong' })
  }
}

/**
 * One input for every list and object of the operation's body, each filling and each body limit; also the whole body as
 * a list.
 * @param draft a good request to the operation
 * @yields one at a time, because each holds up to 1 MiB
 */
export function* hugeInputs(document: Description, target: Target, draft: Draft): Generator<Input> {
  if (target.body === null) return
  const inside = placesOf(document, target.body)
  const ofKind = (wanted: Place['kind']) => inside.filter(({ kind }) => kind === wanted)
  const places: Place[] = [...ofKind('list'), { path: [], kind: 'list' }, ...ofKind('object')]
  for (const { path, kind } of places) {
    const [open, close] = kind === 'list' ? ['[', ']'] : ['{', '}']
    const around = withText(draft.document, path, '').length + FRAME
    for (const limit of BODY_LIMITS) {
      for (const { what, textOf } of contents[kind]) {
        const { text, count } = filled(limit - around, textOf)
        const raw = withText(draft.document, path, open + text + close)
        yield { request: requestOf({ ...draft, raw }), distortions: [`${count} ${what} at /${path.join('/')}`] }
      }
    }
  }
}

/** All of these inputs for an operation. */
export function* longInputs(document: Description, target: Target, draft: Draft): Generator<Input> {
  yield* repetitiveInputs(target, draft)
  yield* hugeInputs(document, target, draft)
}
