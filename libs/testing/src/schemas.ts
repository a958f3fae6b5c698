import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'

/** A description as far as values are held against it. */
interface Description {
  components: { schemas: object }
}

const DIALECT = 'https://description.test/openapi.json'

/** Schemas of a description as a validator holds values against them; fields that are not described are faults too. */
export class Schemas {
  private readonly ajv = new Ajv({ strict: false, allErrors: true })

  constructor(private readonly document: Description) {
    addFormats.default(this.ajv)
    this.ajv.addSchema({ $id: DIALECT, components: { schemas: closed(document.components.schemas) } })
  }

  /** What a reference leads to. */
  resolved<T extends object>(value: object): T {
    const { $ref } = value as { $ref?: string }
    if ($ref === undefined) return value as T
    const [kind, name] = $ref.split('/').slice(-2) as [string, string]
    const components = this.document.components as Record<string, Record<string, unknown>>
    return components[kind]![name] as T
  }

  /** What is wrong with a value, nothing if it fits. */
  faults(schema: object, value: unknown): string[] {
    const validate = this.ajv.compile(absolute(closed(schema)) as object)
    validate(value)
    return (validate.errors ?? []).map(({ instancePath, message, params }) =>
      [instancePath, message, JSON.stringify(params)].join(' '),
    )
  }
}

/** No object with described fields may have others. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== 'object' || value === null) return value
  const inside = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, closed(one)]))
  return 'properties' in inside && inside.type === 'object' ? { ...inside, additionalProperties: false } : inside
}

/** The document's references, from outside of it. */
const absolute = (schema: unknown): unknown =>
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', `"$ref":"${DIALECT}#/`))
