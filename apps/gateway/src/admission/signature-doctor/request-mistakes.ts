import { hash } from 'node:crypto'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { pathOf } from '@connectivity/contracts/request-target'
import type { SignatureHint } from '@connectivity/contracts/signature-hints'
import { type CanonicalRequest, canonicalText, EMPTY_BODY_HASH } from '@connectivity/signing'
import { canonicalOf, type SignedParts } from '../authentication/canonical-request.js'
import { jsonForms } from './json-forms.js'

/** A request as it arrived. */
export interface SentRequest extends SignedParts {
  /** The bytes of the body, or zeros in their number if they were not kept. */
  body: Buffer
}

/** A text that a client may have signed by mistake, in pieces. */
export interface Mistake {
  hint: SignatureHint
  signed: readonly (string | Buffer)[]
}

/** Longest body whose JSON is written in other ways, bytes. */
export const MAX_JSON_BYTES = 64 * 1024

/** The texts that clients sign by mistake instead of the request's canonical text; each differs from it in one way. */
export function requestMistakes(sent: SentRequest): Mistake[] {
  const right = canonicalOf(sent)
  const changed = (hint: SignatureHint, change: Partial<CanonicalRequest>): Mistake => ({
    hint,
    signed: [canonicalText({ ...right, ...change })],
  })
  return [
    ...pathMistakes(sent.target).map(([hint, path]) => changed(hint, { path })),
    ...methodCases(right.method).map((method) => changed('method_case', { method })),
    ...hashMistakes(sent).map(([hint, bodyHash]) => changed(hint, { bodyHash })),
    { hint: 'body_instead_of_hash', signed: [canonicalText({ ...right, bodyHash: '' }), sent.body] },
    ...lineMistakes(right),
    changed('timestamp_milliseconds', { timestamp: `${right.timestamp}000` }),
  ]
}

type Change = [hint: SignatureHint, value: string]

function pathMistakes(target: string): Change[] {
  const path = pathOf(target)
  const slash = path.endsWith('/') ? path.slice(0, -1) : `${path}/`
  const changes: Change[] = [
    ['trailing_slash', slash],
    ...pathCodings(path).map((coded): Change => ['path_coding', coded]),
  ]
  if (path !== target) changes.push(['query_was_signed', target])
  if (path.startsWith(BASE_PATH)) changes.push(['base_path_missing', path.slice(BASE_PATH.length)])
  return changes
}

/** The path decoded, each decoded segment encoded again, and the path encoded once more. */
function pathCodings(path: string): string[] {
  const each = (change: (segment: string) => string) => path.split('/').map(change).join('/')
  const again = each(encodeURIComponent)
  try {
    const codings = [decodeURIComponent(path), each((segment) => encodeURIComponent(decodeURIComponent(segment)))]
    return [...codings, again].filter((coding) => coding !== path)
  } catch {
    return [again]
  }
}

const methodCases = (method: string): string[] => {
  const lower = method.toLowerCase()
  return [lower, method.slice(0, 1) + lower.slice(1)]
}

function hashMistakes({ body, bodyHash }: SentRequest): Change[] {
  const bytes = Buffer.from(bodyHash, 'hex')
  const changes: Change[] = [
    ['hash_upper_case', bodyHash.toUpperCase()],
    ['hash_base64', bytes.toString('base64')],
    ['hash_base64', bytes.toString('base64url')],
  ]
  if (body.length > 0) changes.push(['hash_of_empty_body', EMPTY_BODY_HASH])
  const forms = body.length > MAX_JSON_BYTES ? [] : jsonForms(body)
  return [...changes, ...forms.map((form): Change => ['body_reserialised', hash('sha256', form, 'hex')])]
}

function lineMistakes(right: CanonicalRequest): Mistake[] {
  const lines = canonicalText(right).split('\n')
  const orders = permutations(lines).map((order) => order.join('\n'))
  return [
    ...orders.slice(1).map((signed): Mistake => ({ hint: 'line_order', signed: [signed] })),
    { hint: 'crlf', signed: [lines.join('\r\n')] },
    { hint: 'trailing_newline', signed: [`${lines.join('\n')}\n`] },
  ]
}

/** All orders, the given one first. */
function permutations<T>(items: readonly T[]): T[][] {
  if (items.length <= 1) return [[...items]]
  return items.flatMap((first, index) => permutations(items.toSpliced(index, 1)).map((rest) => [first, ...rest]))
}
