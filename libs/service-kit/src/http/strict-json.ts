import { ServiceError } from '@connectivity/contracts/errors'
import { JsonWalk, refusedBody } from './json-walk.js'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Result of reading a body. */
export interface StrictReading {
  /** Undefined when the body is not JSON or has not been parsed. */
  value: unknown
  /** Reason to refuse the body: 400 `invalid_request` with the JSON pointer of the fault. */
  fault: ServiceError | null
}

/**
 * Reads a JSON body by the rules of the interface: UTF-8 without byte order mark, no duplicate keys, no key that every
 * object has anyway (`__proto__`, `constructor`, …), no lone surrogates, at most 32 levels. A body with too many keys
 * or values is refused before it is parsed, so that 1 MiB costs at most 50 ms of CPU and 32 MiB of memory.
 */
export function readStrictJson(body: Uint8Array): StrictReading {
  const slices = readStrictJsonInSlices(body)
  for (;;) {
    const { done, value } = slices.next()
    if (done) return value
  }
}

/** `readStrictJson` in slices of about a millisecond, the last of up to ten, with room for other work in between. */
export function* readStrictJsonInSlices(body: Uint8Array): Generator<void, StrictReading> {
  try {
    const text = decode(body)
    const walk = new JsonWalk(text)
    yield* walk.slices()
    return { value: parse(text), fault: walk.fault }
  } catch (fault) {
    if (fault instanceof ServiceError) return { value: undefined, fault }
    throw fault
  }
}

/** @throws ServiceError 400 `invalid_request` for a body that must be refused */
export function valueOf({ value, fault }: StrictReading): unknown {
  if (fault) throw fault
  return value
}

/** @throws ServiceError 400 `invalid_request`, see `readStrictJson` */
export const parseStrictJson = (body: Uint8Array): unknown => valueOf(readStrictJson(body))

function decode(body: Uint8Array): string {
  if (body.length === 0) throw refusedBody('', 'empty', 'It is empty; send a JSON object.')
  let text: string
  try {
    text = utf8.decode(body)
  } catch {
    throw refusedBody('', 'invalid_utf8', 'It is not valid UTF-8.')
  }
  if (!text.startsWith('\uFEFF')) return text
  throw refusedBody('', 'byte_order_mark', 'It begins with a byte order mark; leave that out.')
}

/** V8's messages may quote the body, which can hold secrets: only the place is taken from them. */
const PLACE = /\((line \d+ column \d+)\)$/

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    const [, place] = PLACE.exec((error as Error).message) ?? []
    const where = place === undefined ? '' : ` (${place})`
    throw refusedBody('', 'malformed_json', `It is not JSON${where}; check quotation marks, commas and brackets.`)
  }
}
