import { type ErrorDetail, MAX_DETAILS } from '@connectivity/contracts/errors'
import { type Field, type Fields, fieldsOf, type Rule, type Shape } from './body-fields.js'
import { pointerStep } from './json-pointer.js'

/**
 * Finds the faults of a body: unknown keys of each object first, then its fields in the order of their declaration.
 * Removes the white space around texts that are declared with `Trimmed`. Stops at one fault more than an answer names,
 * so a wrong body costs no more than a right one.
 */
export function faultsOf(shape: Shape, body: object): ErrorDetail[] {
  const judge = new Judge()
  judge.object(fieldsOf(shape), body)
  return judge.found
}

type Values = Record<string, unknown>

class Judge {
  readonly found: ErrorDetail[] = []
  private readonly path: (string | number)[] = []

  object(fields: Fields, object: object): void {
    this.unknownKeys(fields, object)
    for (const field of fields.values()) {
      if (this.isFull()) return
      this.path.push(field.name)
      this.field(field, object as Values)
      this.path.pop()
    }
  }

  private isFull(): boolean {
    return this.found.length > MAX_DETAILS
  }

  private unknownKeys(fields: Fields, object: object): void {
    for (const name in object) {
      if (fields.has(name)) continue
      if (this.isFull()) return
      this.path.push(name)
      this.add('unknown_field', (pointer) => `${pointer} is not a known field.`)
      this.path.pop()
    }
  }

  private field(field: Field, object: Values): void {
    if (field.trims) trim(field.name, object)
    const value = object[field.name]
    if (!field.conditions.every((condition) => condition(object, value))) return
    const broken = this.brokenRule(field, object, value)
    if (field.nested && value !== undefined) this.nested(field.nested, value, broken)
  }

  /** Adds the first broken rule of a field: of a list with a rule for each element, at every element that breaks it. */
  private brokenRule({ name, rules }: Field, object: Values, value: unknown): Rule | undefined {
    return rules.find((rule) => {
      const args = { targetName: '', property: name, object, value, constraints: rule.constraints }
      if (rule.each && Array.isArray(value)) return this.breaksInElements(rule, value, args)
      return this.breaks(rule, value, args)
    })
  }

  private breaks(rule: Rule, value: unknown, args: Parameters<Rule['check']>[1]): boolean {
    if (rule.check(value, args)) return false
    const code = value === undefined ? 'missing' : 'invalid_value'
    this.add(code, (pointer) => `${pointer}: ${rule.message(args)}.`)
    return true
  }

  private breaksInElements(rule: Rule, list: readonly unknown[], args: Parameters<Rule['check']>[1]): boolean {
    const before = this.found.length
    for (let index = 0; index < list.length && !this.isFull(); index++) {
      this.path.push(index)
      this.breaks(rule, list[index], args)
      this.path.pop()
    }
    return this.found.length > before
  }

  private nested({ fields, isList }: NonNullable<Field['nested']>, value: unknown, broken: Rule | undefined): void {
    if (!isList) return broken ? undefined : this.object(fields, value as object)
    if (!broken?.isAboutWhole) this.elements(fields, value as unknown[])
  }

  private elements(fields: Fields, list: readonly unknown[]): void {
    for (let index = 0; index < list.length && !this.isFull(); index++) {
      const element = list[index]
      this.path.push(index)
      if (isObject(element)) this.object(fields, element)
      else this.add('invalid_value', (pointer) => `${pointer}: must be an object.`)
      this.path.pop()
    }
  }

  private add(code: string, message: (pointer: string) => string): void {
    const pointer = this.path.map(pointerStep).join('')
    this.found.push({ pointer, code, message: message(pointer) })
  }
}

/** Whether a JSON value is an object. */
export const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function trim(name: string, object: Values): void {
  const value = object[name]
  if (typeof value === 'string') object[name] = value.trim()
}
