// Values that a schema of the description allows, preferably those that mean something to the running system.
import fc from 'fast-check'
import { dateIn } from '../local/demo/dates.mjs'
import { shapesOf } from './shapes.mjs'

const SOON = 800
const MOST_ITEMS = 4
const MOST_CHARACTERS = 60

const formats = {
  date: fc.integer({ min: -3, max: SOON }).map(dateIn),
  'date-time': fc.integer({ min: 0, max: 4_000_000_000_000 }).map((time) => new Date(time).toISOString()),
  email: fc.emailAddress(),
}

function textOf({ enum: words, format, pattern, minLength = 0, maxLength = MOST_CHARACTERS }) {
  if (words) return fc.constantFrom(...words)
  if (format in formats) return formats[format]
  if (pattern) return fc.stringMatching(new RegExp(pattern), { maxLength: MOST_CHARACTERS })
  return fc.string({ minLength, maxLength: Math.min(maxLength, MOST_CHARACTERS) })
}

const numberOf = ({ minimum = -10, maximum = 1_000 }) => fc.integer({ min: minimum, max: Math.max(minimum, maximum) })

/**
 * Arbitraries for schemas.
 * @param {object} document the OpenAPI description
 * @param {Record<string, unknown[]>} known values by field name that lead further than any other: ids that exist
 */
export class SchemaValues {
  constructor(document, known) {
    this.document = document
    this.known = known
    this.shapes = shapesOf(known)
  }

  of(schema, name = '') {
    const { $ref, allOf, nullable } = schema
    if ($ref) return this.named($ref.split('/').at(-1), name)
    if (allOf) return fc.tuple(...allOf.map((part) => this.of(part, name))).map((parts) => Object.assign({}, ...parts))
    const plain = this.preferKnown(this.plain(schema), name)
    return nullable ? fc.option(plain, { freq: 4 }) : plain
  }

  /** A schema of the description by its name. */
  named(schemaName, name) {
    const shape = this.shapes[schemaName]
    const drawn = this.of(this.document.components.schemas[schemaName], name)
    return shape ? fc.oneof({ weight: 4, arbitrary: shape }, drawn) : drawn
  }

  /** Fields of these names mostly hold something that exists. */
  preferKnown(arbitrary, name) {
    const values = this.known[name]
    return values?.length ? fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...values) }, arbitrary) : arbitrary
  }

  plain(schema) {
    if (schema.type === 'object') return this.object(schema)
    if (schema.type === 'array') return this.array(schema)
    if (schema.type === 'boolean') return fc.boolean()
    if (schema.type === 'integer' || schema.type === 'number') return numberOf(schema)
    return textOf(schema)
  }

  array({ items, minItems = 0, maxItems = MOST_ITEMS }) {
    return fc.array(this.of(items), {
      minLength: minItems,
      maxLength: Math.max(minItems, Math.min(maxItems, MOST_ITEMS)),
    })
  }

  object({ properties = {}, required = [] }) {
    const fields = Object.entries(properties).map(([name, schema]) => [name, this.of(schema, name)])
    return fc.record(Object.fromEntries(fields), { requiredKeys: required, noNullPrototype: true })
  }
}
