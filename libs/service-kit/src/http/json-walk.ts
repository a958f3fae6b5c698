import { type ErrorDetail, ServiceError } from '@connectivity/contracts/errors'
import { pointerStep } from './json-pointer.js'

/** Deepest nesting of a body. */
const MAX_DEPTH = 32
/**
 * Most keys and values of a body together; 1 MiB in which every list is as long as its call allows holds up to 181,000.
 */
const MAX_VALUES = 200_000
/**
 * Most objects and lists among them, which take the most memory; 1,000 updates of ARI with 50 rates each hold 54,000.
 */
const MAX_OBJECTS = 60_000
/** Most different keys of a body, counted by spelling; all shapes have under 100. A key costs as much as ten values. */
const MAX_KEYS = 1_000

/** Characters that are walked in a millisecond or less. */
const SLICE = 64 * 1024

const code = (character: string): number => character.charCodeAt(0)
const QUOTE = code('"')
const BACKSLASH = code('\\')
const COMMA = code(',')
const OPEN_LIST = code('[')
const CLOSE_LIST = code(']')
const OPEN_OBJECT = code('{')
const CLOSE_OBJECT = code('}')

/** Characters that end a number, `true`, `false` or `null`: 1 for each of them. */
const ends = new Uint8Array(128)
for (const character of ' \t\n\r,:[]{}"') ends[code(character)] = 1

/** Escapes of the halves of a surrogate pair. */
const HIGH_HALF = /\\u[dD][89abAB][\da-fA-F]{2}/y
const LOW_HALF = /\\u[dD][c-fC-F][\da-fA-F]{2}/y
const ESCAPE_OF_HALF = '\\udc00'.length

/** The object or list being read. */
interface Level {
  /** Number of the object among the objects and lists of the body; 0 for a list. */
  object: number
  /** Key or index of the value being read. */
  at: string | number
  /** Whether the next string is a key. */
  expectsKey: boolean
}

/** A key of the body, whichever objects have it. */
interface Key {
  name: string
  /** By depth: the last object that had it. One object is read at a time in each depth, so this finds repeated keys. */
  seenIn: number[]
}

/** 400 `invalid_request` about one place of a body. */
export const refusedBody = (pointer: string, reason: string, message: string): ServiceError => {
  const detail: ErrorDetail = { pointer, code: reason, message }
  return new ServiceError('invalid_request', `The body is not accepted: ${message}`, { details: [detail] })
}

/**
 * Walks the characters of text that may be JSON once, before anything is built from it; without recursion, so that
 * depth costs no stack. It does not check the grammar, so it does not replace `JSON.parse`.
 */
export class JsonWalk {
  /** The first broken rule of those that apply only if the text is JSON. */
  fault: ServiceError | null = null
  private readonly levels: Level[] = []
  private readonly keys = new Map<string, Key>()
  /** Keys by the raw characters between their quotation marks, escapes included. */
  private readonly spellings = new Map<string, Key>()
  private at = 0
  private values = 0
  private opened = 0
  private backslash = -1

  constructor(private readonly text: string) {}

  /**
   * Walks in slices of about a millisecond.
   * @throws ServiceError 400 `invalid_request` as soon as the text is too deep or holds too much
   */
  *slices(): Generator<void, void> {
    while (this.at < this.text.length) {
      this.walkTo(Math.min(this.at + SLICE, this.text.length))
      yield
    }
  }

  private walkTo(end: number): void {
    while (this.at < end) this.step(this.text.charCodeAt(this.at))
  }

  private step(character: number): void {
    if (character === QUOTE) return this.string()
    if (ends[character] !== 1) return this.scalar()
    this.at++
    if (character === COMMA) this.next()
    else if (character === OPEN_OBJECT) this.open({ object: this.opened + 1, at: '', expectsKey: true })
    else if (character === OPEN_LIST) this.open({ object: 0, at: 0, expectsKey: false })
    else if (character === CLOSE_OBJECT || character === CLOSE_LIST) this.levels.pop()
  }

  private next(): void {
    const level = this.levels.at(-1)
    if (!level) return
    if (typeof level.at === 'number') level.at++
    else level.expectsKey = true
  }

  private open(level: Level): void {
    this.count()
    if (++this.opened > MAX_OBJECTS) throw this.tooMuch(`${MAX_OBJECTS} objects and lists`)
    if (this.levels.length >= MAX_DEPTH)
      throw this.fault ?? refusedBody(this.pointer(), 'too_deep', `It is nested deeper than ${MAX_DEPTH} levels.`)
    this.levels.push(level)
  }

  private count(): void {
    if (++this.values > MAX_VALUES) throw this.tooMuch(`${MAX_VALUES} keys and values`)
  }

  private tooMuch(bound: string): ServiceError {
    return (
      this.fault ?? refusedBody(this.pointer(), 'too_many_values', `It holds more than ${bound}; split the request.`)
    )
  }

  private scalar(): void {
    this.count()
    do this.at++
    while (this.at < this.text.length && ends[this.text.charCodeAt(this.at)] !== 1)
  }

  private string(): void {
    this.count()
    const start = this.at + 1
    const isEscaped = this.skipString()
    const level = this.levels.at(-1)
    if (level?.expectsKey) this.key(level, this.text.slice(start, this.at - 1), isEscaped)
    else if (isEscaped) this.checkSurrogates(this.text.slice(start, this.at - 1))
  }

  private checkSurrogates(spelling: string, levels: readonly Level[] = this.levels): void {
    if (this.fault || !hasLoneHalf(spelling)) return
    this.note(() => ['lone_surrogate', 'It holds half of a surrogate pair.'], levels)
  }

  /** @returns whether the string has escapes */
  private skipString(): boolean {
    const { text } = this
    const quote = text.indexOf('"', this.at + 1)
    const end = quote === -1 ? text.length : quote + 1
    if (this.backslash < this.at) {
      const found = text.indexOf('\\', this.at)
      this.backslash = found === -1 ? Infinity : found
    }
    const isEscaped = this.backslash < end
    this.at = isEscaped ? this.endOfEscaped(this.backslash) : end
    return isEscaped
  }

  private endOfEscaped(backslash: number): number {
    const { text } = this
    let at = backslash
    while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1
    return at < text.length ? at + 1 : text.length
  }

  private key(level: Level, spelling: string, isEscaped: boolean): void {
    const known = this.spellings.get(spelling)
    const key = known ?? this.newKey(isEscaped ? unescaped(spelling) : spelling, spelling)
    level.at = key.name
    level.expectsKey = false
    // No field has such a name, and looking it up would find an inherited property.
    if (!known && key.name in Object.prototype)
      this.note((pointer) => ['unknown_field', `${pointer} is not a known field.`])
    const depth = this.levels.length
    if (key.seenIn[depth] === level.object) this.note((pointer) => ['duplicate_key', `${pointer} is given twice.`])
    key.seenIn[depth] = level.object
  }

  private newKey(name: string, spelling: string): Key {
    // A pointer cannot hold such a key, so it names the object.
    this.checkSurrogates(spelling, this.levels.slice(0, -1))
    if (this.spellings.size >= MAX_KEYS) throw this.fault ?? this.tooManyKeys()
    const key = this.keys.get(name) ?? { name, seenIn: [] }
    this.keys.set(name, key)
    this.spellings.set(spelling, key)
    return key
  }

  private tooManyKeys(): ServiceError {
    const pointer = this.pointer(this.levels.slice(0, -1))
    return refusedBody(pointer, 'too_many_keys', `The body has more than ${MAX_KEYS} different keys.`)
  }

  private note(
    say: (pointer: string) => [reason: string, message: string],
    levels: readonly Level[] = this.levels,
  ): void {
    if (this.fault) return
    const pointer = this.pointer(levels)
    this.fault = refusedBody(pointer, ...say(pointer))
  }

  private pointer(levels: readonly Level[] = this.levels): string {
    return levels.map(({ at }) => pointerStep(at)).join('')
  }
}

function isAt(at: number, escape: RegExp, spelling: string): boolean {
  escape.lastIndex = at
  return escape.test(spelling)
}

/**
 * Whether an escape is half of a surrogate pair without its other half. Only escapes can be: the text itself was
 * decoded strictly. Decoding 100,000 strings would cost 100 ms.
 */
function hasLoneHalf(spelling: string): boolean {
  for (let at = spelling.indexOf('\\'); at !== -1; at = spelling.indexOf('\\', at + 2)) {
    if (spelling[at + 1] !== 'u') continue
    if (isAt(at, LOW_HALF, spelling)) return true
    if (!isAt(at, HIGH_HALF, spelling)) continue
    at += ESCAPE_OF_HALF
    if (!isAt(at, LOW_HALF, spelling)) return true
  }
  return false
}

/** Decodes escapes; broken ones stay, since the text is not JSON then. */
function unescaped(spelling: string): string {
  try {
    return JSON.parse(`"${spelling}"`) as string
  } catch {
    return spelling
  }
}
