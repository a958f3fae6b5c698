/** The parts of an OpenAPI 3.0 document that ours is made of. */
export interface Schema {
  $ref?: string
  type?: string
  format?: string
  /** Name of the type that is written here. */
  title?: string
  description?: string
  nullable?: boolean
  enum?: unknown[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  allOf?: Schema[]
  anyOf?: Schema[]
  pattern?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  default?: unknown
}

export interface Example {
  summary: string
  value: unknown
}

export interface Parameter {
  name: string
  in: 'query' | 'path' | 'header'
  required: boolean
  description: string
  schema: Schema
  example: unknown
}

export interface Header {
  description: string
  required?: boolean
  schema: Schema
  example: unknown
}

export interface MediaType {
  schema: Schema
  example?: unknown
  examples?: Record<string, Example>
}

export interface Response {
  description: string
  /** Codes of a refusal: those of its status that this call answers with. */
  'x-error-codes'?: readonly string[]
  headers?: Record<string, Header | Schema>
  content?: Record<string, MediaType>
}

export interface Call {
  operationId: string
  tags: string[]
  summary: string
  description: string
  security?: Record<string, string[]>[]
  parameters: (Parameter | Schema)[]
  requestBody?: { required: boolean; description: string; content: Record<string, MediaType> }
  responses: Record<string, Response | Schema>
  /** Requests to the partner that the call causes, by name. */
  callbacks?: Record<string, Record<string, { post: Call }>>
  'x-required-scope'?: string
}

export interface Document {
  openapi: '3.0.3'
  info: { title: string; version: string; description: string; contact: { name: string } }
  servers: { url: string; description: string }[]
  tags: { name: string; description: string }[]
  security: Record<string, string[]>[]
  paths: Record<string, Record<string, Call>>
  /** Requests to the partner, by name, as OpenAPI 3.1 has them in `webhooks`. */
  'x-webhooks': Record<string, { post: Omit<Call, 'operationId'> }>
  components: {
    securitySchemes: Record<string, object>
    parameters: Record<string, Parameter>
    headers: Record<string, Header>
    responses: Record<string, Response>
    schemas: Record<string, Schema>
  }
}

/** Reference to a part of the document. */
export const refTo = (kind: keyof Document['components'], name: string): { $ref: string } => ({
  $ref: `#/components/${kind}/${name}`,
})
