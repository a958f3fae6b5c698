import { type ErrorDetail, ServiceError } from '@connectivity/contracts/errors'
import { createScanner, type JSONScanner } from 'jsonc-parser'
import { pointerStep } from './json-pointer.js'

/** Kinds of token, jsonc-parser's `SyntaxKind`: a const enum, which modules compiled one by one cannot read. */
const kind = { openBrace: 1, closeBrace: 2, openBracket: 3, closeBracket: 4, comma: 5, string: 10, end: 17 }

/** Deepest nesting of a body. */
const MAX_DEPTH = 32

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function refuse(pointer: string, code: string, message: string): never {
  const detail: ErrorDetail = { pointer, code, message }
  throw new ServiceError('invalid_request', `The body is not accepted: ${message}`, { details: [detail] })
}

/**
 * Reads a JSON body by the rules of api.md §0: UTF-8 without byte order mark, no duplicate keys, no key that every
 * object has anyway (`__proto__`, `constructor`, …), no lone surrogates, at most 32 levels.
 * @throws ServiceError 400 `invalid_request` with the JSON pointer of the fault
 */
export function parseStrictJson(body: Uint8Array): unknown {
  const text = decode(body)
  const value = parse(text)
  checkStructure(createScanner(text, true))
  return value
}

function decode(body: Uint8Array): string {
  if (body.length === 0) return refuse('', 'empty', 'It is empty; send a JSON object.')
  try {
    return utf8.decode(body)
  } catch {
    return refuse('', 'invalid_utf8', 'It is not valid UTF-8.')
  }
}

function parse(text: string): unknown {
  if (text.startsWith('\uFEFF')) refuse('', 'byte_order_mark', 'It begins with a byte order mark; leave that out.')
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    return refuse('', 'malformed_json', `It is not JSON: ${(error as Error).message}.`)
  }
}

/** An object or array that is being read. */
interface Level {
  /** Keys so far; null in an array. */
  keys: Set<string> | null
  /** Key or index of the value that is being read. */
  at: string | number
  /** Whether the next string is a key. */
  expectsKey: boolean
}

const pointerOf = (levels: readonly Level[]): string => levels.map(({ at }) => pointerStep(at)).join('')

/** Walks the tokens of text that is known to be JSON; without recursion, so that depth costs no stack. */
function checkStructure(scanner: JSONScanner): void {
  const levels: Level[] = []
  for (let token: number = scanner.scan(); token !== kind.end; token = scanner.scan()) {
    if (token === kind.string) checkString(scanner.getTokenValue(), levels)
    else step(token, levels)
  }
}

function step(token: number, levels: Level[]): void {
  const level = levels.at(-1)
  if (token === kind.openBrace) push(levels, { keys: new Set(), at: '', expectsKey: true })
  else if (token === kind.openBracket) push(levels, { keys: null, at: 0, expectsKey: false })
  else if (token === kind.closeBrace || token === kind.closeBracket) levels.pop()
  else if (token === kind.comma && level) next(level)
}

function push(levels: Level[], level: Level): void {
  if (levels.length >= MAX_DEPTH) refuse(pointerOf(levels), 'too_deep', `It is nested deeper than ${MAX_DEPTH} levels.`)
  levels.push(level)
}

function next(level: Level): void {
  if (level.keys) level.expectsKey = true
  else level.at = Number(level.at) + 1
}

function checkString(value: string, levels: readonly Level[]): void {
  const level = levels.at(-1)
  if (!value.isWellFormed()) refuse(pointerOf(levels), 'lone_surrogate', 'It holds half of a surrogate pair.')
  if (!level?.keys || !level.expectsKey) return
  level.at = value
  level.expectsKey = false
  // No field of ours is called so, and class-validator takes such a key for a known one.
  if (value in Object.prototype)
    refuse(pointerOf(levels), 'unknown_field', `${pointerOf(levels)} is not a known field.`)
  if (level.keys.has(value)) refuse(pointerOf(levels), 'duplicate_key', `${pointerOf(levels)} is given twice.`)
  level.keys.add(value)
}
