import { changesValues, nestedShapeOf } from '@connectivity/contracts/validation'
import { getMetadataStorage, type ValidationArguments } from 'class-validator'

type Shape = new () => object
type Condition = (object: object, value: unknown) => boolean
type Check = (value: unknown, args: ValidationArguments) => boolean

/** What class-validator knows about one field, looked up once. */
interface Field {
  name: string
  conditions: Condition[]
  checks: { check: Check; constraints: unknown[]; each: boolean }[]
  nested: Fields | null
}

/** Fields of a shape by name; null when only class-validator itself can judge it. */
type Fields = ReadonlyMap<string, Field> | null

const known = new Map<Shape, Fields>()

/**
 * Whether the body is of the shape, by class-validator's own rules with what it looks up for every object looked up
 * once for a shape: a body of 1,000 updates then holds up whoever else is served by the process for a tenth of the time.
 * @returns false also where it cannot tell; class-validator then judges and explains
 */
export function accepts(shape: Shape, body: object): boolean {
  const fields = fieldsOf(shape)
  return fields !== null && isOf(fields, body)
}

function fieldsOf(shape: Shape): Fields {
  const found = known.get(shape)
  if (found !== undefined) return found
  const fields = changesValues(shape) ? null : lookUp(shape)
  known.set(shape, fields)
  return fields
}

function lookUp(shape: Shape): Fields {
  const storage = getMetadataStorage()
  const fields = new Map<string, Field>()
  for (const rule of storage.getTargetValidationMetadatas(shape, '', false, false)) {
    const name = rule.propertyName
    const field = fields.get(name) ?? { name, conditions: [], checks: [], nested: null }
    fields.set(name, field)
    if (rule.type === 'conditionalValidation') field.conditions.push(rule.constraints[0] as Condition)
    else if (rule.type === 'customValidation') {
      const { each, constraints } = rule
      for (const { instance } of storage.getTargetValidatorConstraints(rule.constraintCls)) {
        field.checks.push({ check: (value, args) => instance.validate(value, args) as boolean, constraints, each })
      }
    } else if (!(rule.type === 'nestedValidation' && nestInto(field, shape))) return null
  }
  return fields
}

function nestInto(field: Field, owner: Shape): boolean {
  const shape = nestedShapeOf(owner, field.name)
  field.nested = shape === undefined ? null : fieldsOf(shape)
  return field.nested !== null
}

function isOf(fields: ReadonlyMap<string, Field>, object: object): boolean {
  for (const name in object) if (!fields.has(name)) return false
  for (const field of fields.values()) if (!passes(field, object)) return false
  return true
}

function passes({ name, conditions, checks, nested }: Field, object: object): boolean {
  const value = (object as Record<string, unknown>)[name]
  if (!conditions.every((condition) => condition(object, value))) return true
  for (const { check, constraints, each } of checks) {
    const args = { targetName: '', property: name, object, value, constraints }
    const values = each && Array.isArray(value) ? value : [value]
    if (!values.every((one) => check(one, args))) return false
  }
  return nested === null || value === undefined || isNested(nested, value)
}

/** Depth of lists and kinds of values have been judged by the checks of `Nested` and `NestedList`. */
const isNested = (fields: ReadonlyMap<string, Field>, value: unknown): boolean =>
  Array.isArray(value) ? value.every((one) => isOf(fields, one as object)) : isOf(fields, value as object)
