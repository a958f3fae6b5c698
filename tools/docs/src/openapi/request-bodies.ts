import { getMetadataStorage } from 'class-validator'
import { boundsOf } from './bounds.js'
import type { Schema } from './model.js'

type Shape = new () => object

/**
 * Adds the bounds of their validators to the schemas of body classes, and of all classes they contain; undescribed
 * fields are refused.
 */
export function bodySchemas(schemas: Record<string, Schema>, bodies: readonly Shape[]): Record<string, Schema> {
  const classes = validatedClasses(bodies)
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const shape = classes.get(name)
      return [name, shape ? bounded(schema, boundsOf(shape)) : schema]
    }),
  )
}

function bounded(schema: Schema, bounds: Record<string, Schema>): Schema {
  const fields = Object.entries(schema.properties ?? {})
  const properties = fields.map(([name, field]) => [name, { ...field, ...merged(field, bounds[name]) }] as const)
  return { ...schema, properties: Object.fromEntries(properties), additionalProperties: false }
}

const merged = (field: Schema, bound: Schema = {}): Schema => ({
  ...bound,
  ...(field.items && { items: { ...field.items, ...(bound.items ?? {}) } }),
})

/**
 * Adds a longest length to the fields of a body whose texts have no bound of their own: they share that of the body.
 */
export function withLongestTexts(schema: Schema, maxLength: number): Schema {
  const fields = Object.entries(schema.properties ?? {})
  return { ...schema, properties: Object.fromEntries(fields.map(([name, field]) => [name, limited(field, maxLength)])) }
}

function limited(field: Schema, maxLength: number): Schema {
  const { additionalProperties: others } = field
  if (typeof others === 'object') return { ...field, additionalProperties: limited(others, maxLength) }
  const isBound = [field.enum, field.format, field.pattern, field.maxLength].some((one) => one !== undefined)
  return field.type === 'string' && !isBound ? { ...field, maxLength } : field
}

/** Every class with validators, by name; a body without any field has none. */
function validatedClasses(bodies: readonly Shape[]): Map<string, Shape> {
  const storage = getMetadataStorage() as unknown as { validationMetadatas: Map<unknown, unknown> }
  const targets = [...storage.validationMetadatas.keys()].filter((target) => typeof target === 'function')
  return new Map([...(targets as Shape[]), ...bodies].map((shape) => [shape.name, shape]))
}
