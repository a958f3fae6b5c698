// Values that a schema of the description allows, preferably those that exist on the running stack.
import fc from 'fast-check'
import { dateIn } from '../../../deploy/local/demo/dates.ts'
import { type Description, referenced, type Schema } from '../model/description.ts'

const SOON_DAYS = 700
const MOST_ITEMS = 4
const MOST_CHARACTERS = 60
/** Longest text of a pattern; a digest has 64 digits. */
const LONGEST_MATCH = 100

/** Values that exist, by the name of the field that holds them. */
export type Known = Record<string, readonly unknown[]>

/** Arbitraries of JSON values. */
type Values = fc.Arbitrary<unknown>

const formats: Record<string, Values> = {
  date: fc.integer({ min: 1, max: SOON_DAYS }).map(dateIn),
  'date-time': fc.integer({ min: 0, max: 4_000_000_000_000 }).map((time) => new Date(time).toISOString()),
  email: fc.emailAddress(),
}

function textOf({ enum: words, format = '', pattern, minLength = 0, maxLength = MOST_CHARACTERS }: Schema): Values {
  if (words) return fc.constantFrom(...words)
  if (formats[format]) return formats[format]
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern), { maxLength: LONGEST_MATCH })
  return fc.string({ minLength, maxLength: Math.min(maxLength, MOST_CHARACTERS) })
}

const numberOf = ({ minimum = -10, maximum = 1_000 }: Schema): Values =>
  fc.integer({ min: minimum, max: Math.max(minimum, maximum) })

/** Draws values of schemas. */
export class SchemaValues {
  private readonly document: Description
  private readonly known: Known

  /** @param known fields of these names hold one of these values */
  constructor(document: Description, known: Known) {
    this.document = document
    this.known = known
  }

  /** @param name of the field that holds the value */
  of(schema: Schema, name = ''): Values {
    const { $ref, allOf, nullable } = schema
    if ($ref !== undefined) return this.of(this.document.components.schemas[referenced($ref)]!, name)
    if (allOf) return this.merged(allOf, name)
    const values = this.known[name]
    if (values?.length) return fc.constantFrom(...values)
    const plain = this.plain(schema)
    return nullable ? fc.option(plain, { freq: 4 }) : plain
  }

  private merged([first, ...others]: readonly Schema[], name: string): Values {
    if (others.length === 0) return this.of(first!, name)
    const parts = [first!, ...others].map((part) => this.of(part, name))
    return fc.tuple(...parts).map((values) => Object.assign({}, ...values))
  }

  private plain(schema: Schema): Values {
    if (schema.type === 'object') return this.object(schema)
    if (schema.type === 'array') return this.array(schema)
    if (schema.type === 'boolean') return fc.boolean()
    if (schema.type === 'integer' || schema.type === 'number') return numberOf(schema)
    return textOf(schema)
  }

  private array({ items = {}, minItems = 0, maxItems = MOST_ITEMS }: Schema): Values {
    return fc.array(this.of(items), {
      minLength: minItems,
      maxLength: Math.max(minItems, Math.min(maxItems, MOST_ITEMS)),
    })
  }

  private object({ properties = {}, required = [] }: Schema): Values {
    const fields = Object.entries(properties).map(([name, schema]) => [name, this.of(schema, name)])
    return fc.record(Object.fromEntries(fields) as Record<string, Values>, {
      requiredKeys: required,
      noNullPrototype: true,
    })
  }
}
