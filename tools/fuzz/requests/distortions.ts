// Distorted requests: each begins as one that should succeed.
import fc from 'fast-check'
import type { Target } from '../model/description.ts'
import { change, type Change, changed, hostileText, hostileValue } from '../values/hostile.ts'
import type { SchemaValues } from '../values/schema-values.ts'
import { type Draft, escaped, type GoodRequests, type Pair, requestOf } from './draft.ts'
import type { Input } from '../model/request.ts'

const MANY_BRACKETS = 5_000

/** Values that distortions insert; each kind uses some of them. */
interface Material {
  at: number
  /** Part of a path or query. */
  part: string
  header: string
  raw: string | Uint8Array
  change: Change
  /** A body that the schema allows, whether or not it means anything. */
  drawn: unknown
}

const rawBodies = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.constantFrom('', '{', '{"a":1,"a":2}', '{"__proto__":{"a":1}}', '[]', 'null', '"', '{"a":1}{', '﻿{}', '{"a":01}'),
  fc.constant('['.repeat(MANY_BRACKETS)),
  hostileValue.map((value) => JSON.stringify(value)),
)

const oddParts = fc.oneof(
  hostileText.map(escaped),
  fc.constantFrom('%ZZ', '%C0%AF', '%2e%2e', '', '%00', '+', ';a=b', 'a%2Fb'),
)

/** Header values that can be sent at all. */
const headerText = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  maxLength: 300,
})

const withHeader =
  (name: string, odd: readonly string[]) =>
  (draft: Draft, { header, at }: Material) => ({
    ...draft,
    headers: { ...draft.headers, [name]: at % 2 === 0 ? header : odd[(at >> 1) % odd.length]! },
  })

const withoutHeader = (name: string) => (draft: Draft) => {
  const { [name]: _left, ...headers } = draft.headers
  return { ...draft, headers }
}

const withPair = (change: (pair: Pair, material: Material) => Pair[]) => (draft: Draft, material: Material) => {
  const { query } = draft
  if (query.length === 0) return draft
  const index = material.at % query.length
  return { ...draft, query: query.toSpliced(index, 1, ...change(query[index]!, material)) }
}

/** Returns a distorted copy of the draft. */
type Distort = (draft: Draft, material: Material) => Draft

const everywhere: Record<string, Distort> = {
  unsigned: (draft) => ({ ...draft, signature: 'none' }),
  'wrong signature': (draft) => ({ ...draft, signature: 'wrong' }),
  'path segment': (draft, { at, part }) => ({
    ...draft,
    // The first segment is the empty one before the first slash.
    segments: draft.segments.with(1 + (at % (draft.segments.length - 1)), part),
  }),
  'unknown query parameter': (draft, { part }) => ({ ...draft, query: [...draft.query, [part, part]] }),
  'correlation id': withHeader('x-correlation-id', ['', 'a'.repeat(65), '../../..']),
  'if-none-match': withHeader('if-none-match', ['*', '""', 'W/"']),
}

const inQueries: Record<string, Distort> = {
  'query value': withPair(([name], { part }) => [[name, part]]),
  'query parameter missing': withPair(() => []),
  'query parameter repeated': withPair((pair) => [pair, pair]),
}

const inBodies: Record<string, Distort> = {
  'body changed': (draft, material) => ({ ...draft, document: changed(draft.document, [material.change]) }),
  'body replaced': (draft, { raw }) => ({ ...draft, raw }),
  'body drawn from the schema': (draft, { drawn }) => ({ ...draft, document: drawn }),
  'content type': withHeader('content-type', ['text/plain', 'application/json; charset=latin1', 'application/xml', '']),
  'content type missing': withoutHeader('content-type'),
}

const inMutations: Record<string, Distort> = {
  'idempotency key': withHeader('idempotency-key', ['', '""', '"', 'same-key-every-time']),
  'idempotency key missing': withoutHeader('idempotency-key'),
}

/** The distortions that an operation can have, with how often each is drawn. */
const distortionsOf = ({ parameters, body }: Target): [weight: number, distortions: Record<string, Distort>][] => [
  [1, everywhere],
  ...(parameters.some((one) => one.in === 'query') ? [[3, inQueries] as [number, typeof inQueries]] : []),
  ...(body ? [[4, inBodies] as [number, typeof inBodies]] : []),
  ...(parameters.some(({ name }) => name === 'Idempotency-Key') ? [[1, inMutations] as [number, typeof inBodies]] : []),
]

/** Distortions of a request: none in 3 of 10, one in most others. Shrinks to one. */
const lists = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant<T[]>([]) },
    { weight: 6, arbitrary: one.map((single) => [single]) },
    { weight: 1, arbitrary: fc.array(one, { minLength: 1, maxLength: 3 }) },
  )

/** Requests to the operation: good ones, most of them with one distortion. */
export function inputsOf(target: Target, good: GoodRequests, values: SchemaValues): fc.Arbitrary<Input> {
  const groups = distortionsOf(target)
  const all = Object.assign({}, ...groups.map(([, distortions]) => distortions)) as Record<string, Distort>
  const names = fc.oneof(
    ...groups.map(([weight, group]) => ({ weight, arbitrary: fc.constantFrom(...Object.keys(group)) })),
  )
  const distortion = fc.record({
    name: names,
    at: fc.nat(),
    part: oddParts,
    header: headerText,
    raw: rawBodies,
    change,
    drawn: target.body ? values.of(target.body) : fc.constant(undefined),
  })
  return fc.tuple(good.to(target), lists(distortion)).map(([draft, list]) => ({
    request: requestOf(list.reduce((made, { name, ...material }) => all[name]!(made, material), draft)),
    distortions: list.map(({ name }) => name),
  }))
}
