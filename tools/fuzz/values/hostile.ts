// Values that often break programs, and documents changed with them.
import fc from 'fast-check'

const LONG = 10_000

/** Texts that are invalid nearly everywhere, each for a different reason. */
const texts = [
  ['', ' ', '\0', '\u001f', '\ud800', '\u202e', '%00', '%', '..', '../../etc/passwd', '{}', '[]', 'null', 'true'],
  ['0', '-0', '00.1', '1e5', '1.', '.5', '9007199254740993', '-1', '1.123456789', '999999999999.99', 'NaN', 'Infinity'],
  ['2026-02-30', '0000-01-01', '9999-12-31', '2026-12-01T00:00:00Z', '2026-12-01T25:00:00.000Z', '1970-01-01'],
  ["' OR 1=1 --", '<script>', '${7*7}', '__proto__', 'constructor', 'toString', '😀'.repeat(64), 'é', 'x'.repeat(LONG)],
  [
    'http://127.0.0.1/',
    'http://127.0.0.1:9/refuses',
    'https://user@example.invalid/',
    'https://[::1]/',
    'file:///etc/passwd',
    'https://x.invalid:22/',
  ],
].flat()

const numbers = [0, -0, -1, 0.5, 1e21, 2 ** 31, 2 ** 53, -(2 ** 63), Number.MAX_VALUE, Number.MIN_VALUE]

export const hostileText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...texts) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary-ascii', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
)

/** Any JSON value, mostly an awkward one. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom(...numbers),
  fc.constantFrom(null, true, false, [], {}, [[]], [null]),
  fc.jsonValue({ maxDepth: 3, stringUnit: 'grapheme' }),
)

/** One change to a document. `at`: number of the place in document order; beyond the last one, it starts over. */
export interface Change {
  kind: 'replace' | 'remove' | 'add' | 'repeat'
  at: number
  /** Name of an added field. */
  name: string
  value: unknown
}

export const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom('replace', 'remove', 'add', 'repeat'),
  at: fc.nat(),
  name: fc.oneof(fc.constantFrom('__proto__', 'id', '', 'property_id'), hostileText),
  value: hostileValue,
})

type Container = Record<string, unknown> | unknown[]
interface Place {
  container: Container
  key: string
}

/** Every place in a document, as the container and the key in it. */
function placesOf(container: unknown): Place[] {
  if (typeof container !== 'object' || container === null) return []
  return Object.entries(container).flatMap(([key, value]) => [
    { container: container as Container, key },
    ...placesOf(value),
  ])
}

/** Adds a field of any name, `__proto__` too. */
const addField = (container: object, name: string, value: unknown) =>
  Object.defineProperty(container, name, { value, enumerable: true, configurable: true, writable: true })

const changes: Record<Change['kind'], (place: Place, change: Change) => unknown> = {
  replace: ({ container, key }, { value }) => addField(container, key, structuredClone(value)),
  remove: ({ container, key }) => (Array.isArray(container) ? container.splice(Number(key), 1) : delete container[key]),
  add: ({ container }, { name, value }) =>
    Array.isArray(container)
      ? container.push(structuredClone(value))
      : addField(container, name, structuredClone(value)),
  repeat: ({ container, key }) => Array.isArray(container) && container.push(structuredClone(container[Number(key)])),
}

/** The document with the changes made one after the other; null when nothing is left of it. */
export function changed(document: unknown, list: readonly Change[]): unknown {
  const root = { document: structuredClone(document) }
  for (const one of list) {
    const places = placesOf(root)
    if (places.length > 0) changes[one.kind](places[one.at % places.length]!, one)
  }
  return root.document ?? null
}

/** Documents of the arbitrary: some unchanged, most with one to three changes. */
export const distorted = (documents: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc
    .tuple(documents, fc.oneof(fc.constant([]), fc.array(change, { minLength: 1, maxLength: 3 })))
    .map(([document, list]) => changed(document, list))
