import type { Document, Schema } from '../openapi/model.js'

/** A field of a body, at any depth. */
export interface Field {
  /** Path of the field, such as `updates[].rates[].amount`. */
  path: string
  type: string
  isRequired: boolean
  description: string
}

type Schemas = Document['components']['schemas']

const nameOf = ($ref: string): string => $ref.split('/').at(-1)!

/** A schema with its reference resolved; its own description takes precedence over the type's. */
function resolved(schema: Schema, schemas: Schemas): Schema {
  const { $ref, allOf, ...own } = schema
  const parts = [...($ref === undefined ? [] : [schemas[nameOf($ref)]!]), ...(allOf ?? [])]
  return parts.reduce<Schema>((merged, part) => ({ ...resolved(part, schemas), ...merged }), own)
}

const bound = (schema: Schema): string[] => [
  ...(schema.enum ? [schema.enum.map((value) => `\`${String(value)}\``).join(', ')] : []),
  ...(schema.maxLength === undefined ? [] : [`at most ${schema.maxLength} characters`]),
  ...(schema.maxItems === undefined ? [] : [`at most ${schema.maxItems}`]),
  ...(schema.minimum === undefined ? [] : [`from ${schema.minimum}`]),
  ...(schema.maximum === undefined ? [] : [`to ${schema.maximum}`]),
]

const names: Record<string, string> = { string: 'text', array: 'list', boolean: 'true or false' }

/** Readable name of a type, such as `list of date`. */
function nameOfType({ type, format, items, anyOf }: Schema, schemas: Schemas): string {
  if (anyOf) return anyOf.map((part) => typeOf(resolved(part, schemas), schemas)).join(' or ')
  const item = items && resolved(items, schemas)
  if (item && item.type !== 'object') return `list of ${typeOf(item, schemas)}`
  if (type === undefined) return 'anything'
  return format ?? names[type] ?? type
}

/** Readable type with bounds, such as `text or null: at most 128 characters`. */
function typeOf(schema: Schema, schemas: Schemas): string {
  const bounds = bound(schema)
  const name = `${nameOfType(schema, schemas)}${schema.nullable ? ' or null' : ''}`
  return bounds.length > 0 ? `${name}: ${bounds.join(', ')}` : name
}

/** Every field of a schema, depth first; a type inside itself is not opened again. */
export function fieldsOf(given: Schema, schemas: Schemas, prefix = '', open: readonly string[] = []): Field[] {
  const schema = resolved(given, schemas)
  const isRequired = new Set(schema.required)
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const path = prefix + name
    const own = resolved(property, schemas)
    const { inner, mark } = innerOf(own, property)
    const type = typeOf(own, schemas)
    const field = { path, type, isRequired: isRequired.has(name), description: own.description ?? '' }
    const key = inner?.$ref
    if (!inner || (key !== undefined && open.includes(key))) return [field]
    return [field, ...fieldsOf(inner, schemas, `${path}${mark}.`, key === undefined ? open : [...open, key])]
  })
}

/** The object in a field or in its list. */
function innerOf(own: Schema, property: Schema): { inner: Schema | undefined; mark: string } {
  if (own.items) return { inner: own.items, mark: '[]' }
  if (own.properties) return { inner: property, mark: '' }
  return { inner: undefined, mark: '' }
}
