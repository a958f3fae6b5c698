import { ContractViolation } from './contract-violation.js'
import { isCalendarDate, parseTimestamp } from './time.js'

/** An object of a message before its fields are read. */
export type JsonObject = Record<string, unknown>

/** Decimal amount as the booking engine writes it: up to 18 digits before the point and 4 after. */
const AMOUNT = /^-?(0|[1-9]\d{0,17})(\.\d{1,4})?$/
const LONE_SURROGATE_OR_NUL = /[\p{Surrogate}\0]/gu
/** Whether the text has characters that neither our columns nor partners can store. */
const isUnstorable = (text: string): boolean => !text.isWellFormed() || text.includes('\0')
/** 0x1e and 0x1f separate values in bulk statements; NUL and lone surrogates cannot be stored as text. */
const UNSAFE_IN_ID = /[\p{Surrogate}\0\x1e\x1f]/u
/** Numbers that JavaScript holds exactly. */
const SAFE_RANGE = `from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`
/** Longest id, ours or a partner's, characters. */
export const MAX_ID = 128

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Typed access to the fields of one object of a message. An absent field counts as null: methods that may return null
 * return it, all others refuse it. A value of a wrong type or form is always refused. Refusals are a
 * `ContractViolation` that names the field by JSON pointer.
 */
export class MessageFields {
  private constructor(
    private readonly object: JsonObject,
    private readonly pointer: string,
  ) {}

  /** @throws ContractViolation when `value` is not an object */
  static of(value: unknown, pointer: string): MessageFields {
    if (!isObject(value)) throw new ContractViolation(pointer, 'must be an object')
    return new MessageFields(value, pointer)
  }

  /** Reads an opaque id: 1–128 characters, kept verbatim. */
  id(name: string): string {
    return this.optionalId(name) ?? this.fail(name, 'is required')
  }

  /** Reads an id as `id` does, or null. */
  optionalId(name: string): string | null {
    return this.optional(name, (value) => {
      if (typeof value !== 'string' || value === '' || value.length > 2 * MAX_ID || [...value].length > MAX_ID) {
        this.fail(name, `must be a string of 1 to ${MAX_ID} characters`)
      }
      if (UNSAFE_IN_ID.test(value))
        this.fail(name, 'must not contain NUL, record or unit separators or lone surrogates')
      return value
    })
  }

  /** Reads free text, or null; drops NUL and lone surrogates, which cannot be stored. */
  text(name: string): string | null {
    return this.optional(name, (value) => {
      if (typeof value !== 'string') this.fail(name, 'must be a string')
      return isUnstorable(value) ? value.replace(LONE_SURROGATE_OR_NUL, '') : value
    })
  }

  /** Reads free text as `text` does. */
  requiredText(name: string): string {
    return this.text(name) ?? this.fail(name, 'is required')
  }

  /**
   * Reads the id of an object that may be unknown here, or null; an empty or too long id matches nothing. Refuses ids
   * that cannot be stored verbatim, because a changed id would name another object.
   */
  reference(name: string): string | null {
    return this.optional(name, (value) => {
      if (typeof value !== 'string') this.fail(name, 'must be a string')
      if (isUnstorable(value)) this.fail(name, 'must not contain NUL or lone surrogates')
      return value
    })
  }

  /** Reads an id as `reference` does. */
  requiredReference(name: string): string {
    return this.reference(name) ?? this.fail(name, 'is required')
  }

  /** Reads an integer within ±(2^53 − 1). */
  integer(name: string): number {
    return this.optionalInteger(name) ?? this.fail(name, 'is required')
  }

  /** Reads an integer as `integer` does, or null. */
  optionalInteger(name: string): number | null {
    return this.optional(name, (value) =>
      Number.isSafeInteger(value) ? (value as number) : this.fail(name, `must be an integer ${SAFE_RANGE}`),
    )
  }

  /** Reads an integer that is not negative. */
  count(name: string): number {
    const value = this.integer(name)
    return value >= 0 ? value : this.fail(name, 'must not be negative')
  }

  /** Reads true or false, or null. */
  flag(name: string): boolean | null {
    return this.optional(name, (value) =>
      typeof value === 'boolean' ? value : this.fail(name, 'must be true or false'),
    )
  }

  /** Reads a decimal amount as text, such as `412.50`, or null: up to 18 digits before the point and 4 after. */
  amount(name: string): string | null {
    return this.optional(name, (value) =>
      typeof value === 'string' && AMOUNT.test(value)
        ? value
        : this.fail(name, 'must be a decimal string such as "412.50"'),
    )
  }

  /** Reads a calendar date, YYYY-MM-DD. */
  date(name: string): string {
    const value = this.object[name]
    if (typeof value === 'string' && isCalendarDate(value)) return value
    return this.fail(name, 'must be a calendar date, YYYY-MM-DD')
  }

  /** Reads an ISO 8601 timestamp with zone, or null; returns it in UTC, cut down to milliseconds. */
  timestamp(name: string): string | null {
    return this.optional(name, (value) => {
      const time = typeof value === 'string' ? parseTimestamp(value, 'down') : null
      return time === null ? this.fail(name, 'must be an ISO 8601 timestamp with zone') : new Date(time).toISOString()
    })
  }

  /** Reads one of the words. */
  word<W extends string>(name: string, words: readonly W[]): W {
    return this.optionalWord(name, words) ?? this.fail(name, 'is required')
  }

  /** Reads one of the words, or null. */
  optionalWord<W extends string>(name: string, words: readonly W[]): W | null {
    return this.optional(name, (value) =>
      words.includes(value as W) ? (value as W) : this.fail(name, `must be one of ${words.join(', ')}`),
    )
  }

  /**
   * Reads an array, which may be empty.
   * @param read reads an element; gets its JSON pointer
   * @param most most elements
   */
  list<T>(name: string, read: (item: unknown, pointer: string) => T, most = Infinity): T[] {
    const value = this.object[name]
    if (!Array.isArray(value)) return this.fail(name, 'must be an array')
    if (value.length > most) this.fail(name, `must not have more than ${most} elements`)
    return value.map((item, index) => read(item, `${this.pointer}/${name}/${index}`))
  }

  /** Reads an array of plain values; `read` gets each value's index in place of a field name. */
  values<T>(name: string, read: (values: MessageFields, index: string) => T): T[] {
    const value = this.object[name]
    if (!Array.isArray(value)) return this.fail(name, 'must be an array')
    const values = new MessageFields(value as unknown as JsonObject, `${this.pointer}/${name}`)
    return value.map((_, index) => read(values, String(index)))
  }

  /** Reads an array as `values` does, or null. */
  optionalValues<T>(name: string, read: (values: MessageFields, index: string) => T): T[] | null {
    return this.isAbsent(name) ? null : this.values(name, read)
  }

  /** Opens a nested object. */
  child(name: string): MessageFields {
    return MessageFields.of(this.object[name], `${this.pointer}/${name}`)
  }

  /** Opens a nested object, or null. */
  optionalObject(name: string): MessageFields | null {
    return this.isAbsent(name) ? null : this.child(name)
  }

  /** Refuses a field: `problem` follows its pointer. @throws ContractViolation always */
  fail(name: string, problem: string): never {
    throw new ContractViolation(`${this.pointer}/${name}`, problem)
  }

  private isAbsent(name: string): boolean {
    return this.object[name] === undefined || this.object[name] === null
  }

  private optional<T>(name: string, read: (value: unknown) => T): T | null {
    const value = this.object[name]
    return value === undefined || value === null ? null : read(value)
  }
}
