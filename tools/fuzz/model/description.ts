// The parts of the OpenAPI description that the fuzzer reads.

export interface Schema {
  $ref?: string
  allOf?: Schema[]
  type?: string
  nullable?: boolean
  enum?: string[]
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  items?: Schema
  minItems?: number
  maxItems?: number
  properties?: Record<string, Schema>
  required?: string[]
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  schema: Schema
}

export interface Operation {
  operationId: string
  parameters?: (Parameter | { $ref: string })[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, object>
  /** Empty where no credential is needed. */
  security?: unknown[]
}

export interface Description {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> }
}

/** An operation that requests are sent to. */
export interface Target {
  /** Method and path template, for example `post /ari`. */
  name: string
  /** In upper case. */
  method: string
  template: string
  operationId: string
  parameters: Parameter[]
  /** Schema of the JSON body; null where the operation takes none. */
  body: Schema | null
  isSigned: boolean
  /** Whether it takes requests of the portal's own pages only. */
  isForPortal: boolean
}

/** Name of the component that a reference points to. */
export const referenced = ($ref: string): string => $ref.split('/').at(-1)!

/** The schema, with its reference resolved; a reference with a description of its own is an `allOf` of one part. */
export function resolved(document: Description, schema: Schema): Schema {
  const { $ref = schema.allOf?.[0]?.$ref } = schema
  return $ref === undefined ? schema : document.components.schemas[referenced($ref)]!
}

const isForPortal = (template: string): boolean => template.startsWith('/portal/')

/** Every operation of the description. */
export function targetsOf({ paths, components }: Description): Target[] {
  return Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, { operationId, parameters = [], requestBody, security }]) => ({
      name: `${method} ${template}`,
      method: method.toUpperCase(),
      template,
      operationId,
      parameters: parameters.map((one) => ('$ref' in one ? components.parameters[referenced(one.$ref)]! : one)),
      body: requestBody?.content['application/json']?.schema ?? null,
      isSigned: security?.length !== 0 && !isForPortal(template),
      isForPortal: isForPortal(template),
    })),
  )
}
