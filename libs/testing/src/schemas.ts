import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'

/** The part of a description that values are validated against. */
interface Description {
  components: { schemas: object }
}

const DIALECT = 'https://description.test/openapi.json'

/** Validates values against schemas of a description; undescribed fields are faults too. */
export class Schemas {
  private readonly ajv = new Ajv({ strict: false, allErrors: true })

  constructor(private readonly document: Description) {
    addFormats.default(this.ajv)
    this.ajv.addSchema({ $id: DIALECT, components: { schemas: closed(document.components.schemas) } })
  }

  /** Follows a reference. */
  resolved<T extends object>(value: object): T {
    const { $ref } = value as { $ref?: string }
    if ($ref === undefined) return value as T
    const [kind, name] = $ref.split('/').slice(-2) as [string, string]
    const components = this.document.components as Record<string, Record<string, unknown>>
    return components[kind]![name] as T
  }

  /** Faults of a value; empty if it is valid. */
  faults(schema: object, value: unknown): string[] {
    const validate = this.ajv.compile(absolute(closed(schema)) as object)
    validate(value)
    return (validate.errors ?? []).map(({ instancePath, message, params }) =>
      [instancePath, message, JSON.stringify(params)].join(' '),
    )
  }
}

/** Forbids further fields in every object with described fields. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== 'object' || value === null) return value
  const inside = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, closed(one)]))
  return 'properties' in inside && inside.type === 'object' ? { ...inside, additionalProperties: false } : inside
}

/** Makes the document's references usable from outside of it. */
const absolute = (schema: unknown): unknown =>
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', `"$ref":"${DIALECT}#/`))
