// The shapes of bodies are described with it.
import 'reflect-metadata'
import { Transform, Type } from 'class-transformer'
import { IsArray, IsObject, ValidateBy, ValidateIf, ValidateNested, type ValidationOptions } from 'class-validator'
import { isCalendarDate } from './time.js'

/** The field may be absent; null is not the same as absent and is refused. */
export const Optional = (): PropertyDecorator => ValidateIf((_object, value) => value !== undefined)

const hasControls = (text: string): boolean => /[\p{Cc}]/u.test(text)

/** Text of 1 to `max` code points that says something: not only white space, no lone surrogates. */
export const Text = (max: number): PropertyDecorator => textRule(max, (text) => !text.includes('\0'))

/** As `Text`, in one line: no control characters (C0, DEL, C1). */
export const Line = (max: number): PropertyDecorator => textRule(max, (text) => !hasControls(text))

/** An id of the booking engine's, as its messages may carry it: 1 to 128 characters of any kind but NUL, RS and US. */
export const SourceId = (options?: ValidationOptions): PropertyDecorator =>
  ValidateBy(
    {
      name: 'sourceId',
      constraints: [MAX_SOURCE_ID],
      validator: {
        validate: (value: unknown) => typeof value === 'string' && isSourceId(value),
        defaultMessage: () => `must be an id of 1 to ${MAX_SOURCE_ID} characters`,
      },
    },
    options,
  )

const MAX_SOURCE_ID = 128
const isSourceId = (value: string): boolean =>
  value !== '' && value.isWellFormed() && !/[\0\x1e\x1f]/.test(value) && [...value].length <= MAX_SOURCE_ID

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
  value.isWellFormed() && value.trim() !== '' && [...value].length <= max

type Shape = new () => object

const nestedShapes = new Map<object, Map<string, () => Shape>>()
const transformed = new Set<object>()

function nest(target: object, name: string, shape: () => Shape): void {
  Type(shape)(target, name)
  const shapes = nestedShapes.get(target) ?? new Map<string, () => Shape>()
  nestedShapes.set(target, shapes.set(name, shape))
}

/** The shape of a field that was declared with `Nested` or `NestedList`. */
export const nestedShapeOf = (owner: Shape, name: string): Shape | undefined =>
  nestedShapes.get(owner.prototype as object)?.get(name)?.()

/** Whether reading a body of the shape changes values, so that it is not taken as it was sent. */
export const changesValues = (shape: Shape): boolean => transformed.has(shape.prototype as object)

/** A text without the white space around it. */
export const Trimmed = (): PropertyDecorator => (target, name) => {
  transformed.add(target)
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value))(target, name)
}

/** An object of its own shape. */
export const Nested =
  (shape: () => Shape): PropertyDecorator =>
  (target, name) => {
    IsObject()(target, name as string)
    ValidateNested()(target, name as string)
    nest(target, name as string, shape)
  }

const isPlainObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)

/** A list of objects of one shape. class-validator alone lets lists in a list pass. */
export const NestedList =
  (shape: () => Shape): PropertyDecorator =>
  (target, name) => {
    const isObjects = (value: unknown) => !Array.isArray(value) || value.every(isPlainObject)
    const validator = { validate: isObjects, defaultMessage: () => 'each of its values must be an object' }
    IsArray()(target, name as string)
    ValidateBy({ name: 'objects', validator })(target, name as string)
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
