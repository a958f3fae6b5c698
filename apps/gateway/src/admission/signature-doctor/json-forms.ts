import { isUtf8 } from 'node:buffer'

/** Most tokens of a body that is parsed: 64 KiB of ARI updates hold 9,000. */
const MAX_TOKENS = 24_000
const MAX_DEPTH = 32

/** A string, a number or a word, as written. */
type Scalar = string
interface List {
  items: Json[]
}
interface Members {
  /** Keys as written, with their quotation marks. */
  members: [key: string, value: Json][]
}
type Json = Scalar | List | Members

/**
 * Also matches a string without its end. Otherwise the search would start again at each later quotation mark and take
 * seconds for 64 KiB.
 */
const TOKEN = /[[\]{},:]|"[^"\\]*(?:\\.[^"\\]*)*"?|[^\s[\]{},:"]+/gs

/** The text is not JSON. */
class NotReadable extends Error {}

/**
 * Reads JSON without changing numbers or the order of keys, unlike `JSON.parse`. Accepts some texts that are not JSON.
 */
class Reader {
  private at = 0

  constructor(private readonly tokens: readonly string[]) {}

  whole(): Json {
    const value = this.value(0)
    if (this.at !== this.tokens.length) throw new NotReadable()
    return value
  }

  private value(depth: number): Json {
    if (depth > MAX_DEPTH) throw new NotReadable()
    const token = this.next()
    if (token === '[') return { items: this.until(']', () => this.value(depth + 1)) }
    if (token === '{') return { members: this.until('}', () => this.member(depth + 1)) }
    if (']},:'.includes(token)) throw new NotReadable()
    return plain(token)
  }

  private member(depth: number): [string, Json] {
    const key = plain(this.next())
    if (this.next() !== ':') throw new NotReadable()
    return [key, this.value(depth)]
  }

  private until<T>(close: string, read: () => T): T[] {
    const found: T[] = []
    if (this.tokens[this.at] === close) {
      this.at++
      return found
    }
    for (;;) {
      found.push(read())
      const token = this.next()
      if (token === close) return found
      if (token !== ',') throw new NotReadable()
    }
  }

  private next(): string {
    const token = this.tokens[this.at++]
    if (token === undefined) throw new NotReadable()
    return token
  }
}

/** Removes needless escapes from a token. */
function plain(token: string): string {
  if (!token.includes('\\')) return token
  try {
    return JSON.stringify(JSON.parse(token))
  } catch {
    throw new NotReadable()
  }
}

const byKey = ([one]: [string, Json], [other]: [string, Json]): number => {
  if (one === other) return 0
  return one.slice(1, -1) < other.slice(1, -1) ? -1 : 1
}

/** The value with sorted keys; the same object if its keys are sorted already. */
function sorted(value: Json): Json {
  if (typeof value === 'string') return value
  if ('items' in value) {
    const items = value.items.map(sorted)
    return items.every((item, index) => item === value.items[index]) ? value : { items }
  }
  const members = value.members.map(([key, member]): [string, Json] => [key, sorted(member)]).sort(byKey)
  const isSame = members.every(([key, member], index) => {
    const [oldKey, oldMember] = value.members[index]!
    return key === oldKey && member === oldMember
  })
  return isSame ? value : { members }
}

function write(value: Json, isSpaced: boolean): string {
  if (typeof value === 'string') return value
  const comma = isSpaced ? ', ' : ','
  if ('items' in value) return `[${value.items.map((item) => write(item, isSpaced)).join(comma)}]`
  const colon = isSpaced ? ': ' : ':'
  return `{${value.members.map(([key, member]) => key + colon + write(member, isSpaced)).join(comma)}}`
}

function parsed(text: string): Json | null {
  const tokens = text.match(TOKEN) ?? []
  if (tokens.length > MAX_TOKENS) return null
  try {
    return new Reader(tokens).whole()
  } catch (error) {
    if (error instanceof NotReadable) return null
    throw error
  }
}

const [BACKSLASH, SLASH, LETTER_U] = Buffer.from('\\/u') as unknown as [number, number, number]
const digitsOf = ['0123456789abcdef', '0123456789ABCDEF'].map((digits) => Buffer.from(digits))

// Characters outside ASCII and slashes occur only within strings, so that whole texts are rewritten, byte by byte:
// regular expressions would take 30 ms for 32,000 letters.

const ESCAPE_LENGTH = '\\u0000'.length

/** UTF-16 code units of a text, because reading them one by one from a concatenated string is slow. */
function unitsOf(text: string): Uint16Array {
  const units = new Uint16Array(text.length)
  Buffer.from(units.buffer).write(text, 'utf16le')
  return units
}

/**
 * A text with all characters outside ASCII escaped.
 * @param escaped at least as many as there are such characters
 */
function inAscii(units: Uint16Array, escaped: number, digits: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(units.length + escaped * (ESCAPE_LENGTH - 1))
  let length = 0
  for (let index = 0; index < units.length; index++) {
    const unit = units[index]!
    if (unit < 0x80) {
      bytes[length++] = unit
      continue
    }
    bytes[length++] = BACKSLASH
    bytes[length++] = LETTER_U
    for (let shift = 12; shift >= 0; shift -= 4) bytes[length++] = digits[(unit >> shift) & 0xf]!
  }
  return bytes.subarray(0, length)
}

function withEscapedSlashes(text: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(text.length * 2)
  let length = 0
  for (let index = 0; index < text.length; index++) {
    if (text[index] === SLASH) bytes[length++] = BACKSLASH
    bytes[length++] = text[index]!
  }
  return bytes.subarray(0, length)
}

/** The text in every form of escaping that makes a difference. */
function escapings(text: string): Buffer[] {
  const raw = Buffer.from(text)
  // In UTF-8 each character outside ASCII takes at least one byte more than in `length`.
  const escaped = raw.length - text.length
  const units = escaped === 0 ? null : unitsOf(text)
  const coded = units ? [raw, ...digitsOf.map((digits) => inAscii(units, escaped, digits))] : [raw]
  return text.includes('/') ? coded.flatMap((form) => [form, withEscapedSlashes(form)]) : coded
}

/**
 * The ways in which serialisers write the same JSON: with and without spaces after separators, keys in their order or
 * sorted, characters outside ASCII as they are or escaped in hex of either case, slashes as they are or escaped; in all
 * combinations. The body's own form may be among them. None for a body that is not JSON.
 */
export function jsonForms(body: Buffer): Buffer[] {
  if (body.length === 0 || !isUtf8(body)) return []
  const json = parsed(body.toString('utf8'))
  if (json === null) return []
  const orders = [...new Set([json, sorted(json)])]
  const texts = orders.flatMap((order) => [write(order, false), write(order, true)])
  return [...new Set(texts)].flatMap(escapings)
}
