/** The parts of an OpenAPI 3.0 document that ours is made of. */
export interface Schema {
  $ref?: string
  type?: string
  format?: string
  description?: string
  nullable?: boolean
  enum?: unknown[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean
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
  headers?: Record<string, Header | Schema>
  content?: Record<string, MediaType>
}

export interface Call {
  /** Absent for calls to the partner. */
  operationId?: string
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
  info: object
  servers: { url: string; description: string }[]
  tags: { name: string; description: string }[]
  security: Record<string, string[]>[]
  paths: Record<string, Record<string, Call>>
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
