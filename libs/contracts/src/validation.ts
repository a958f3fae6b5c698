// The shapes of bodies are described with it.
import 'reflect-metadata'
import {
  buildMessage,
  IsArray,
  IsObject,
  ValidateBy,
  ValidateIf,
  ValidateNested,
  type ValidationOptions,
} from 'class-validator'
import { MAX_ID } from './message-fields.js'
import { isCalendarDate, parseCheckpoint } from './time.js'

/** The field may be absent; null is not the same as absent and is refused. */
export const Optional = (): PropertyDecorator => ValidateIf((_object, value) => value !== undefined)

const hasControls = (text: string): boolean => /[\p{Cc}]/u.test(text)

/** Text of 1 to `max` code points: not blank, no lone surrogates. */
export const Text = (max: number): PropertyDecorator => textRule(max, (text) => !text.includes('\0'))

/** `Text` in one line: no control characters (C0, DEL, C1). */
export const Line = (max: number): PropertyDecorator => textRule(max, (text) => !hasControls(text))

/** An id of the booking engine's, as its messages may carry it: 1 to 128 characters of any kind but NUL, RS and US. */
export const SourceId = (options?: ValidationOptions): PropertyDecorator =>
  ValidateBy(
    {
      name: 'sourceId',
      constraints: [MAX_ID],
      validator: {
        validate: (value: unknown) => typeof value === 'string' && isSourceId(value),
        defaultMessage: () => `must be an id of 1 to ${MAX_ID} characters`,
      },
    },
    options,
  )

const isSourceId = (value: string): boolean =>
  value !== '' && hasAtMost(MAX_ID, value) && value.isWellFormed() && !/[\0\x1e\x1f]/.test(value)

const textRule = (max: number, accepts: (text: string) => boolean): PropertyDecorator =>
  ValidateBy({
    name: 'text',
    constraints: [max],
    validator: {
      validate: (value: unknown) => typeof value === 'string' && isText(value, max) && accepts(value),
      defaultMessage: () => `must be a text of 1 to ${max} characters`,
    },
  })

const isText = (value: string, max: number): boolean =>
  hasAtMost(max, value) && value.isWellFormed() && value.trim() !== ''

/** Whether a text has at most `max` code points, each one or two units of `length`; far longer ones are not counted. */
const hasAtMost = (max: number, text: string): boolean => text.length <= 2 * max && [...text].length <= max

/** The elements of a list of texts are all different; class-validator's own rule is quadratic. */
export const Unique = (): PropertyDecorator =>
  ValidateBy({
    name: 'arrayUnique',
    validator: {
      validate: (value: unknown) => Array.isArray(value) && new Set(value).size === value.length,
      defaultMessage: buildMessage((each) => `${each}All $property's elements must be unique`),
    },
  })

/** Bytes in base64 of the standard alphabet, padded or not; may be empty. */
export const Base64 = (): PropertyDecorator =>
  ValidateBy({
    name: 'base64',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && isBase64(value),
      defaultMessage: () => 'must be bytes in base64',
    },
  })

const isBase64 = (text: string): boolean =>
  /^[A-Za-z0-9+/]*={0,2}$/.test(text) && (text.endsWith('=') ? text.length % 4 === 0 : text.length % 4 !== 1)

type Shape = new () => object

const nestedShapes = new Map<object, Map<string, () => Shape>>()
const trimmed = new Map<object, Set<string | symbol>>()

function nest(target: object, name: string, shape: () => Shape): void {
  const shapes = nestedShapes.get(target) ?? new Map<string, () => Shape>()
  nestedShapes.set(target, shapes.set(name, shape))
}

/** Prototypes in which a field of the shape may be declared: its own and those of the classes it extends. */
function* prototypesOf(shape: Shape): Generator<object> {
  let prototype = shape.prototype as object | null
  for (; prototype; prototype = Object.getPrototypeOf(prototype) as object | null) yield prototype
}

/** The shape of a field that was declared with `Nested` or `NestedList`. */
export function nestedShapeOf(owner: Shape, name: string): Shape | undefined {
  for (const prototype of prototypesOf(owner)) {
    const shape = nestedShapes.get(prototype)?.get(name)
    if (shape) return shape()
  }
  return undefined
}

/** Whether a field of the shape was declared with `Trimmed`. */
export const trims = (owner: Shape, name: string): boolean =>
  [...prototypesOf(owner)].some((prototype) => trimmed.get(prototype)?.has(name))

/** A text without the white space around it. */
export const Trimmed = (): PropertyDecorator => (target, name) => {
  trimmed.set(target, (trimmed.get(target) ?? new Set()).add(name))
}

/** An object of its own shape. */
export const Nested =
  (shape: () => Shape): PropertyDecorator =>
  (target, name) => {
    IsObject()(target, name as string)
    ValidateNested()(target, name as string)
    nest(target, name as string, shape)
  }

/** A list of objects of one shape; declare its length beside it with `ArrayMaxSize`. */
export const NestedList =
  (shape: () => Shape): PropertyDecorator =>
  (target, name) => {
    IsArray()(target, name as string)
    ValidateNested({ each: true })(target, name as string)
    nest(target, name as string, shape)
  }

/** A day that exists, `YYYY-MM-DD`. */
export const CalendarDate = (): PropertyDecorator =>
  ValidateBy({
    name: 'calendarDate',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && isCalendarDate(value),
      defaultMessage: () => 'must be a calendar date, YYYY-MM-DD',
    },
  })

/** A checkpoint: an ISO 8601 timestamp with seconds and zone, not before 1970. */
export const Checkpoint = (): PropertyDecorator =>
  ValidateBy({
    name: 'timestamp',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && parseCheckpoint(value) !== null,
      defaultMessage: () => 'must be an ISO 8601 timestamp with seconds and zone, such as 2026-11-20T10:15:30.123Z',
    },
  })
