import type { JSONSchema7 } from 'json-schema'
import { refTo, type Schema } from './model.js'

const REF = '#/definitions/'
/** Removes references to our own documents from comments: partners do not have them. */
const SOURCE = /,? *(?:\(|\b)(?:spec|api|design|operations)\.md(?: "[^"]*"| §[\d.]+)*\)?/g

type Definitions = Record<string, JSONSchema7>

/**
 * Converts JSON Schema draft 7 of objects and enumerations to OpenAPI 3.0 components: client generators make one type
 * of each. Other schemas are inlined where they are used.
 */
export function toOpenApi(definitions: Definitions): Record<string, Schema> {
  const components = Object.entries(definitions).filter(([, definition]) => isComponent(definition))
  return Object.fromEntries(components.map(([name, definition]) => [name, convert(definition, definitions)]))
}

const nameIn = ($ref: string): string => decodeURIComponent($ref.slice(REF.length))

const isComponent = (definition: JSONSchema7): boolean =>
  definition.type === 'object' || (definition.enum !== undefined && !definition.enum.includes(null))

function convert(schema: JSONSchema7, definitions: Definitions): Schema {
  if (schema.$ref !== undefined) return reference(schema, definitions)
  if (schema.anyOf !== undefined) return union(schema, definitions)
  const { type, description, properties, items, required, additionalProperties, ...rest } = schema
  return without({
    ...typeOf(type),
    ...saying(description),
    ...(rest as Schema),
    ...constant(rest),
    properties: properties && mapValues(properties as Definitions, (property) => convert(property, definitions)),
    additionalProperties:
      typeof additionalProperties === 'object' ? convert(additionalProperties, definitions) : additionalProperties,
    required: required?.length ? required : undefined,
    items: items === undefined ? undefined : convert(itemsOf(items), definitions),
  })
}

/** @throws Error for a list whose elements are not described: generators need them */
function itemsOf(items: JSONSchema7['items']): JSONSchema7 {
  if (typeof items === 'object' && !Array.isArray(items)) return items
  throw new Error('a list needs one type for its elements')
}

function typeOf(type: JSONSchema7['type']): Schema {
  if (!Array.isArray(type)) return type === undefined ? {} : { type }
  const types = type.filter((one) => one !== 'null')
  if (types.length !== 1) throw new Error(`one type, or one and null, can be described: ${type.join(', ')}`)
  return { type: types[0]!, nullable: true }
}

function saying(text: string | undefined): Schema {
  const description = (text ?? '').replace(SOURCE, '').replace(/\s+/g, ' ').trim()
  return /\w/.test(description) ? { description } : {}
}

/** A constant. Client generators do not know enumerations of booleans; the description names the value instead. */
function constant(schema: JSONSchema7): Schema & { const?: undefined } {
  if (schema.const === undefined) return {}
  return { ...(typeof schema.const === 'boolean' ? {} : { enum: [schema.const] }), const: undefined }
}

function reference({ $ref, description }: JSONSchema7, definitions: Definitions): Schema {
  const name = nameIn($ref!)
  const definition = definitions[name]
  if (!definition) throw new Error(`${name} is not defined`)
  if (!isComponent(definition)) return { ...convert(definition, definitions), ...saying(description) }
  // Keywords beside a $ref have no effect.
  return description === undefined
    ? refTo('schemas', name)
    : { allOf: [refTo('schemas', name)], ...saying(description) }
}

/** `T | null` or words of several types; no other union of types is in use. */
function union({ anyOf, description }: JSONSchema7, definitions: Definitions): Schema {
  const options = anyOf as JSONSchema7[]
  const given = options.filter(({ type }) => type !== 'null').map((option) => resolved(option, definitions))
  const merged = given.length === 1 ? given[0]! : oneEnumeration(given)
  const isNullable = given.length < options.length || merged.nullable === true
  return { ...merged, ...(isNullable ? orNull(merged) : {}), ...saying(description) }
}

/** `nullable` has no effect beside a $ref. */
function resolved(schema: JSONSchema7, definitions: Definitions): Schema {
  const definition = schema.$ref === undefined ? schema : definitions[nameIn(schema.$ref)]
  const name = schema.$ref === undefined || !isComponent(definition!) ? {} : { title: nameIn(schema.$ref) }
  return { ...name, ...convert(definition!, definitions) }
}

function oneEnumeration(schemas: Schema[]): Schema {
  const words = schemas.flatMap((schema) => schema.enum ?? [])
  if (words.length < schemas.length) throw new Error(`this union cannot be described: ${JSON.stringify(schemas)}`)
  return { type: 'string', enum: words }
}

/** An enumeration that may be null has to list null. */
const orNull = (schema: Schema): Schema => ({
  nullable: true,
  ...(schema.enum && !schema.enum.includes(null) ? { enum: [...schema.enum, null] } : {}),
})

const mapValues = <T, R>(values: Record<string, T>, map: (value: T) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]))

const without = (schema: Schema): Schema => JSON.parse(JSON.stringify(schema)) as Schema
